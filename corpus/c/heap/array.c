//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* An array with as many elements as are asked for. The last one lies behind it. */
#include <assert.h>
#include <stdlib.h>
void run(unsigned n)
{
    n = n % 3 + 1;
    unsigned char *a = calloc(n, sizeof(unsigned char));
#ifdef FIXED
    for (unsigned i = 0; i < n; i++)
#else
    for (unsigned i = 0; i <= n; i++)
#endif
        a[i] = i;
    assert(a[n - 1] == n - 1);
    free(a);
}
