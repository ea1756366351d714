//! unsafe: edit(0) · on_change(0) · edit(0) · on_change(0) · ret · ret · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: -1..1 functions 0 nesting 3
//! twin: modules/p02-undo.ia, with -DFIXED modules/p02-undo-fixed.ia
/* An edit tells its listener before it is on the undo stack; the listener undoes. */
#include <assert.h>
#define DEPTH 3
extern void on_change(int doc);
static int doc, stack[DEPTH], top;
void edit(int v)
{
    if (v < 0 || v > 2 || top == DEPTH) return;
#ifdef FIXED
    stack[top++] = doc;
    doc = v;
    on_change(v);
#else
    int at = top, old = doc;
    doc = v;
    on_change(v);
    assert(top == at);                 /* nobody used the stack meanwhile */
    stack[at] = old;
    top = at + 1;
#endif
}
void undo(void) { if (top > 0) doc = stack[--top]; }
