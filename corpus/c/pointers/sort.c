//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Bubble sort through pointers. The last pair reaches behind the array. */
#include <assert.h>
static unsigned char a[3];
static void sort(unsigned char *first, unsigned char *end)
{
#ifdef FIXED
    for (unsigned char *last = end - 1; last > first; last--)
#else
    for (unsigned char *last = end; last > first; last--)
#endif
        for (unsigned char *p = first; p < last; p++)
            if (p[0] > p[1]) {
                unsigned char v = p[0];
                p[0] = p[1];
                p[1] = v;
            }
}
void run(unsigned char x, unsigned char y, unsigned char z)
{
    a[0] = x & 1, a[1] = y & 1, a[2] = z & 1;
    sort(a, a + 3);
    assert(a[0] <= a[1] && a[1] <= a[2]);
}
