//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Structs of which the right side depends on the left are copied as a whole. */
#include <assert.h>
struct s { int a, b; };
static struct s turned(struct s s) { struct s t = { s.b, s.a }; return t; }
void m(void)
{
    struct s x = { 1, 2 };
    x = turned(x);
    assert(x.a == 2 && x.b == 1);
}
