//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* `continue` goes on with the step of the loop, `break` leaves the inner loop only. */
#include <assert.h>
int main(void)
{
    int seen = 0;
    for (int i = 0; i < 10; i++) {
        if (i % 3 == 0) continue;
        for (int j = 0;; j++)
            if (j == 2) break;
        if (i == 8) break;
        seen++;
    }
#ifdef FIXED
    assert(seen == 5);
#else
    assert(seen == 6);
#endif
    return 0;
}
