//! safe
//! inputs: 0..1 functions 0 nesting 3
/* A jump leads into a block, past the declaration of a variable whose address is kept. */
#include <assert.h>
extern void cb(void);
static int *kept;
static unsigned char depth;
void m(int c)
{
    if (depth == 2)
        return;
    depth++;
    switch (c & 1) {
        int x;
    case 1:
        x = depth;
        kept = &x;
        cb();
        assert(x == depth);
        kept = 0;
        break;
    default:
        x = 3;
        kept = &x;
        *kept = 4;
        assert(x == 4);
        kept = 0;
    }
    depth--;
}
