//! safe
//! skip gcc: it allocates more
//! inputs: 0..1 functions 0 nesting 1
/* A null pointer that is made larger is allocated. */
#include <assert.h>
#include <stdlib.h>
void m(void)
{
    int *p = realloc(NULL, 2 * sizeof(int));
    p[1] = 4;
    assert(p[1] == 4);
    free(p);
    free(NULL);
}
