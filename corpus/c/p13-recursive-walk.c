//! unsafe: go() · visit(0) · ret · visit(1) · prune(2) · ret · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 3
//! twin: modules/p13-recursive-walk.ia, with -DFIXED modules/p13-recursive-walk-fixed.ia
/* A private recursive walk of a tree in arrays calls a visitor; the visitor re-links. No child is visited after it was cut. */
#include <assert.h>
#define N 3
extern void visit(int node);
static int left[N] = {1, -1, -1}, right[N] = {2, -1, -1}, cut[N];
static void walk(int i)
{
    if (i < 0) return;
#ifdef FIXED
    if (cut[i]) return;
#endif
    assert(!cut[i]);
    int r = right[i];
    visit(i);
    walk(left[i]);
    walk(r);
}
void go(void) { walk(0); }
void prune(int i) { if (i >= 1 && i < N) { cut[i] = 1; if (left[0] == i) left[0] = -1; if (right[0] == i) right[0] = -1; } }
