//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The default is freed as if it was allocated. */
#include <stdlib.h>
static int standard = 3;
static int *now = &standard;
void set(int v)
{
    int *p = malloc(sizeof(int));
    *p = v;
#ifdef FIXED
    if (now != &standard)
#endif
        free(now);
    now = p;
}
