//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* An object that is not defined holds anything at first, and does not change by itself. */
#include <assert.h>
extern int limit;
extern void wait(void);
int main(void)
{
    int before = limit;
    wait();
#ifdef FIXED
    assert(before == limit);
#else
    assert(before == 0);
#endif
    return 0;
}
