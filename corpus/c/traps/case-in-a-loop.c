//! safe
//! inputs: 0..9 functions 0 nesting 1
/* A case label may stand inside a statement of the switch. */
#include <assert.h>
void m(unsigned char n)
{
    int turns = 0, left = (n + 3) / 4;
    if (n == 0 || n > 9) return;
    switch (n % 4) {
    case 0: do { turns++;
    case 3:      turns++;
    case 2:      turns++;
    case 1:      turns++;
            } while (--left > 0);
    }
    assert(turns == n);
}
