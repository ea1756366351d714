//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: what lies before an array is not always noticed
//! inputs: 0..1 functions 0 nesting 1
/* The hole moves left without looking whether it is the first element. */
#include <assert.h>
static signed char a[3];
static void insert(signed char *first, signed char *at)
{
    signed char v = *at;
#ifdef FIXED
    while (at > first && at[-1] > v) {
#else
    while (at[-1] > v) {
#endif
        *at = at[-1];
        at--;
    }
    *at = v;
}
void run(signed char x, signed char y, signed char z)
{
    a[0] = x & 1, a[1] = y & 1, a[2] = z & 1;
    for (signed char *p = a + 1; p != a + 3; p++)
        insert(a, p);
    assert(a[0] <= a[1] && a[1] <= a[2]);
}
