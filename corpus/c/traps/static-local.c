//! unsafe: m() · ret · m() · fail
//! moves: 2
//! inputs: -1..1 functions 0 nesting 2
/* A static local keeps its value from call to call, and starts once. */
#include <assert.h>
void m(void)
{
    static int n = 1;
    assert(n++ < 2);
}
