//! safe
//! inputs: 0..0 functions 0 nesting 1
/* A function reaches a local of its caller through a pointer to a pointer. */
#include <assert.h>
static void set(int **pp) { **pp = 3; }
void m(void)
{
    int x = 1;
    int *p = &x;
    set(&p);
    assert(x == 3);
}
