//! unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* New memory may lie where freed memory lay: a use of the old pointer is wrong all the same. */
#include <stdlib.h>
int m(void)
{
    int *old = malloc(sizeof(int));
    *old = 2;
    free(old);
    int *now = malloc(sizeof(int));
    *now = 1;
    int r = *old;
    free(now);
    return r;
}
