//! unsafe: begin() · acquire(0) · ret 1 · acquire(1) · reset() · ret · ret 1 · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 3
//! twin: modules/p16-goto.ia, with -DFIXED modules/p16-goto-fixed.ia
/* Two resources, one exit by goto; the second acquisition calls out and the client resets. */
#include <assert.h>
extern int acquire(int which);
static int held[2];
int begin(void)
{
    int r = -1;
    if (held[0] || held[1]) return -1;
    if (!acquire(0)) goto out;
#ifdef FIXED
    if (held[0] || held[1]) return -1;
#endif
    held[0] = 1;
    if (!acquire(1)) goto undo;
#ifdef FIXED
    if (!held[0]) return -1;
#endif
    assert(held[0]);
    held[1] = 1;
    r = 0;
    goto out;
undo:
    held[0] = 0;
out:
    return r;
}
void reset(void) { held[0] = held[1] = 0; }
