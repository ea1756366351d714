//! safe
//! inputs: -1..1 functions 0 nesting 2
/* `continue` in `do` goes to the condition. */
#include <assert.h>
void m(void)
{
    int n = 0;
    do {
        n++;
        if (n < 3) continue;
        n += 10;
    } while (n < 5);
    assert(n == 13);
}
