//! safe
//! inputs: -7..7 functions 0 nesting 1
/* Division truncates toward 0, and the remainder has the sign of the dividend. */
#include <assert.h>
void m(int n)
{
    assert(-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3 && 7 % -2 == 1);
    if (n > -1000 && n < 1000) assert(n / 3 * 3 + n % 3 == n);
}
