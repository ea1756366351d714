//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: a pointer that leaves its object and is not followed is not noticed
//! inputs: 0..1 functions 0 nesting 1
/* An arena gives pieces of an array. Its end is not looked at. */
#include <assert.h>
static unsigned char arena[4], *top = arena;
static unsigned char *take(unsigned n)
{
#ifdef FIXED
    if (n > arena + 4 - top)
        return 0;
#endif
    unsigned char *p = top;
    top += n;
    return p;
}
void run(unsigned n)
{
    unsigned char *p = take(n % 3);
    if (p && n % 3)
        *p = 1;
}
void reset(void) { top = arena; }
