//! safe
//! inputs: 0..3 functions 0 nesting 2
//! twin: modules/registry.ia
/* A registry of callbacks that notifies all of them. Nothing is deleted meanwhile. */
#include <assert.h>
#include <stdbool.h>
#define N 3
extern void call(unsigned i);
static bool used[N], notifying;
void add(unsigned i) { if (i < N) used[i] = true; }
void del(unsigned i) { if (i < N && !notifying && used[i]) used[i] = false; }
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
