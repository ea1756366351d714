//! safe
//! inputs: 0..0 functions 0 nesting 3
/* A variable of a block is lent, and a nested activation lends its own. The outer one still lives. */
#include <assert.h>
extern void cb(void);
static unsigned char depth;
static void use(int *p)
{
    *p = depth;
    cb();
    assert(*p == depth);
}
void m(void)
{
    if (depth == 2)
        return;
    depth++;
    if (depth) {
        int x;
        use(&x);
    }
    depth--;
}
