//! safe
//! inputs: 0..0 functions 0 nesting 1
/* A later initialiser in braces replaces the whole of the part that it names. */
#include <assert.h>
struct s { int a, b[2]; };
static int g[2][3] = { { 1, 2, 3 }, [0] = { 7 } };
static struct s t[2] = { { 1, { 2, 3 } }, [0].b[1] = 5, [1] = { .b = { 8, 9 } }, [1].b = { 4 } };
void m(void)
{
    int l[2][2] = { [1] = { 1, 2 }, [1] = { 3 } };
    assert(g[0][0] == 7 && g[0][1] == 0 && g[0][2] == 0);
    assert(t[0].a == 1 && t[0].b[0] == 2 && t[0].b[1] == 5);
    assert(t[1].a == 0 && t[1].b[0] == 4 && t[1].b[1] == 0);
    assert(l[1][0] == 3 && l[1][1] == 0 && l[0][0] == 0);
}
