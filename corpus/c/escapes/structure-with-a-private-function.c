//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A function that gives a structure with a handle is called, and fails before it returns. */
#include <assert.h>
struct box {
    int v;
};
struct pair {
    int (*call)(int n);
    struct box *b;
};
extern void tell(void);
static struct box only;
static int count;
static int inner(int n)
{
    count = n & 1;
    return n;
}
const struct pair first = { inner, 0 };
struct pair get(void)
{
    count = 0;
    tell();
#ifndef FIXED
    assert(count == 0);
#endif
    struct pair given = { inner, &only };
    return given;
}
