//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! skip gcc: it does not notice
//! inputs: 0..1 functions 0 nesting 1
/* A compound literal lives as long as its block. */
#include <assert.h>
void m(void)
{
    int *p;
#ifdef FIXED
    p = (int[]){ 1, 2 };
#else
    { p = (int[]){ 1, 2 }; }
#endif
    assert(p[1] == 2);
}
