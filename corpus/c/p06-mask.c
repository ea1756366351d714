//! unsafe: join(0) · may_join(0) · join(0) · may_join(0) · ret 1 · ret 0 · ret 1 · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 2
//! twin: modules/p06-mask.ia, with -DFIXED modules/p06-mask-fixed.ia
/* Members of a set in a bit mask, and how many there are; the guard is asked between the look and the change. */
#include <assert.h>
extern int may_join(int who);
static unsigned mask, count;
static unsigned ones(unsigned m) { unsigned n = 0; while (m) { n += m & 1u; m >>= 1; } return n; }
int join(int who)
{
    if (who < 0 || who > 3 || (mask & (1u << who))) return -1;
    if (!may_join(who)) return -1;
#ifdef FIXED
    if (mask & (1u << who)) return -1;
#endif
    mask |= 1u << who;
    count++;
    assert(count == ones(mask));
    return 0;
}
void leave(int who) { if (who >= 0 && who <= 3 && (mask & (1u << who))) { mask &= ~(1u << who); count--; } }
