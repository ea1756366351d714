//! unsafe: put(2) · fail
//! moves: 1
//! inputs: 0..3 functions 0 nesting 1
/* Elements of an array of structs are checked one by one. */
#include <assert.h>
struct s { int a; struct { int b[2]; } c; };
static struct s all[2];
void put(unsigned i)
{
    all[0].c.b[1] = 1;
    all[1].c.b[0] = 2;
    assert(all[0].c.b[1] == 1 && all[1].a == 0);
    if (i < 3) all[1].c.b[i] = 3;
}
