//! safe
//! with -DWRONG: unsafe: any
//! skip gcc: memory that is read too early is not noticed
//! inputs: 0..1 functions 0 nesting 1
/* What was never set may be copied as a whole, by `realloc` and `memcpy`; it may not be used. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int m(void)
{
    int *p = malloc(2 * sizeof *p), *r = malloc(2 * sizeof *r);
    p[0] = 7;
    memcpy(r, p, 2 * sizeof *p);
    int *q = realloc(p, 4 * sizeof *q);
    assert(q[0] == 7 && r[0] == 7);
#ifdef WRONG
    int seen = q[1];
#else
    int seen = q[0];
#endif
    free(q);
    free(r);
    return seen == 7;
}
