//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Between pointers to characters lie bytes, whatever the objects are that they were made from. */
#include <assert.h>
static int cells[10];
static struct pair { short a, b; } pairs[4];
void m(void)
{
    int *p = cells + 3;
    long bytes = (char *)p - (char *)cells;
    struct pair *q = &pairs[2];
    long before = (char *)pairs - (char *)q;
#ifdef FIXED
    assert(bytes == 12 && before == -8 && (char *)cells < (char *)p);
#else
    assert(bytes == 3);
#endif
}
