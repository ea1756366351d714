//! unsafe: put(0) · fail
//! moves: 1
//! with -DFIXED: safe
//! skip gcc: it sees no difference, unless the object lies in a page that is not written
//! inputs: 0..1 functions 0 nesting 1
/* An object that is declared constant is never written, also through a pointer that does not say so. */
#include <assert.h>
#ifdef FIXED
static int limits[2] = { 1, 2 };
#else
static const int limits[2] = { 1, 2 };
#endif
static void set(int *to, int value) { *to = value; }
void put(int value)
{
    set((int *)&limits[1], value);
    assert(limits[0] == 1);
}
