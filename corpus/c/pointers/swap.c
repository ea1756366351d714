//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The pointers are swapped instead of what they point to. */
#include <assert.h>
static void swap(int *p, int *q)
{
#ifdef FIXED
    int v = *p;
    *p = *q;
    *q = v;
#else
    int *v = p;
    p = q;
    q = v;
#endif
}
void run(int a, int b)
{
    int x = a, y = b;
    swap(&x, &y);
    assert(x == b && y == a);
}
