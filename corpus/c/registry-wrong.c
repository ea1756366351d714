//! unsafe: add(0) · ret · notify() · call(0) · del(0) · ret · ret · fail
//! moves: 4
//! inputs: 0..3 functions 0 nesting 2
//! twin: modules/registry-wrong.ia
/* A registry of callbacks that notifies all of them. A callback may be deleted meanwhile. */
#include <assert.h>
#include <stdbool.h>
#define N 3
extern void call(unsigned i);
static bool used[N], notifying;
void add(unsigned i) { if (i < N) used[i] = true; }
void del(unsigned i) { if (i < N && used[i]) used[i] = false; }
void notify(void)
{
    if (notifying) return;
    notifying = true;
    for (unsigned i = 0; i < N; i++)
        if (used[i]) {
            call(i);
            assert(used[i]);
        }
    notifying = false;
}
