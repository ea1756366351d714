//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The pointer is not forgotten when what it points to is freed. */
#include <stdlib.h>
static int *p;
void make(void) { if (!p) p = malloc(sizeof(int)); }
void drop(void)
{
    free(p);
#ifdef FIXED
    p = 0;
#endif
}
