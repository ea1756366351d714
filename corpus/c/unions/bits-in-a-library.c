//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* A state in bit fields. The wrong version has too few bits for the count. */
#include <assert.h>
extern void notify(void);
#ifdef FIXED
static struct { unsigned open : 1; unsigned users : 3; } state;
#else
static struct { unsigned open : 1; unsigned users : 1; } state;
#endif
void enter(void)
{
    if (state.users == 4) return;
    state.users++;
    assert(state.users > 0);
    state.open = 1;
    notify();
}
void leave(void)
{
    if (state.users == 0) return;
    state.users--;
    if (state.users == 0) state.open = 0;
}
