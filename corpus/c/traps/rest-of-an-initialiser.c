//! safe
//! inputs: -1..1 functions 0 nesting 2
/* What an initialiser leaves out is 0. */
#include <assert.h>
struct s { int a, b[3]; struct { char c; } d; };
void m(void)
{
    struct s x = { .b = { [1] = 2 } };
    int y[4] = { 1 };
    assert(x.a == 0 && x.b[0] == 0 && x.b[1] == 2 && x.b[2] == 0 && x.d.c == 0);
    assert(y[0] == 1 && y[1] == 0 && y[3] == 0);
}
