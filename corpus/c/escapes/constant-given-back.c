//! unsafe: any
//! moves: 2
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The address of a private constant is handed out, and comes back. */
#include <assert.h>
static const int tag;
const void *get(void)
{
#ifdef FIXED
    return 0;
#else
    return &tag;
#endif
}
void use(const void *p) { assert(p != &tag); }
