//! unsafe: next() · announce(0) · next() · announce(0) · ret · ret 0 · ret · fail
//! moves: 4
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
//! with -DFIXED inputs: 0..0 functions 0 nesting 1
//! twin: modules/p07-serial.ia, with -DFIXED modules/p07-serial-fixed.ia
/* Serial numbers from a static local of 8 bits, which wraps; each number is announced before the counter moves on. */
#include <assert.h>
extern void announce(int n);
static int open_no = -1;
int next(void)
{
    static unsigned char no;
    unsigned char mine = no;
#ifdef FIXED
    no = no + 1;
    announce(mine);
#else
    announce(mine);
    assert(no == mine);                /* nobody was given my number */
    no = no + 1;
#endif
    open_no = mine;
    return mine;
}
int newest(void) { assert(open_no >= -1 && open_no <= 255); return open_no; }
