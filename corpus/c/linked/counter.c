//! unsafe: bump() · ret 1 · bump() · ret 2 · bump() · fail
//! moves: 3
//! files: counter.c limit.c
//! inputs: 0..0 functions 0 nesting 2
/* Two files are one module: what one declares the other defines, and names with `static` are apart. */
#include <assert.h>
extern int allowed(int n);
static int n;
int bump(void)
{
    n++;
    assert(allowed(n));
    return n;
}
