//! safe
//! inputs: 0..1 functions 0 nesting 2
/* A recursive function takes the rest of an array. The environment is called in the middle. */
#include <assert.h>
extern void visit(unsigned char v);
static unsigned char a[2] = { 1, 2 };
static int walk(const unsigned char *p, const unsigned char *end)
{
    if (p == end)
        return 0;
    visit(*p);
    return 1 + walk(p + 1, end);
}
void run(void) { assert(walk(a, a + 2) == 2); }
