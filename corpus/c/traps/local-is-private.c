//! safe
//! inputs: 0..1 functions 0 nesting 2
/* A local belongs to its activation: a nested call has its own. */
#include <assert.h>
extern void cb(int n);
void m(int n)
{
    int mine = n;
    cb(mine);
    assert(mine == n);
    n = 5;
    cb(n);
    assert(n == 5);
}
