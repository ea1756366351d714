//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..6 functions 0 nesting 1
/* The upper end counts as an element. */
#include <assert.h>
static const int a[4] = { 1, 2, 4, 5 };
static const int *find(const int *lo, const int *hi, int v)
{
#ifdef FIXED
    while (lo < hi) {
#else
    while (lo <= hi) {
#endif
        const int *mid = lo + (hi - lo) / 2;
        if (*mid == v)
            return mid;
        if (*mid < v)
            lo = mid + 1;
        else if (lo == hi)
            return 0;
        else
            hi = mid;
    }
    return 0;
}
void run(int v)
{
    if (v < 0 || v > 6)
        return;
    const int *p = find(a, a + 4, v);
    assert(p ? *p == v : v == 0 || v == 3 || v == 6);
}
