//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The pointer was moved before what it points to is freed. */
#include <stdlib.h>
void run(void)
{
    char *s = malloc(3), *first = s;
    *s++ = 'a';
    *s++ = 0;
#ifdef FIXED
    free(first);
#else
    first[1] = 'b';
    free(s);
#endif
}
