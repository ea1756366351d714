//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A protocol of four states, driven by any inputs: nothing is sent that was not opened. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
enum state { CLOSED, OPENING, OPEN, CLOSING };
int main(void)
{
    enum state state = CLOSED;
    int open = 0;
    for (int i = 0; i < 6; i++) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            if (state == CLOSED) state = OPENING;
            break;
        case 1:
            if (state == OPENING) { state = OPEN; open = 1; }
#ifdef FIXED
            break;
#endif
        case 2:
            if (state == OPEN) { state = CLOSING; open = 0; }
            break;
        case 3:
            if (state == CLOSING) state = CLOSED;
            else if (state == OPEN) assert(open);
        }
        if (state == OPENING) assert(!open);
#ifndef FIXED
        assert(state != CLOSING || open || i > 2);
#endif
    }
    return 0;
}
