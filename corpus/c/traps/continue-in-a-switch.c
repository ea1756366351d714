//! safe
//! inputs: -1..1 functions 0 nesting 2
/* `continue` in a switch continues the loop, `break` leaves the switch. */
#include <assert.h>
void m(void)
{
    int n = 0;
    for (int i = 0; i < 4; i++) {
        switch (i) {
        case 1: continue;
        case 2: break;
        default: n += 10;
        }
        n++;
    }
    assert(n == 23);
}
