//! unsafe: any
//! with -DFIXED: safe
//! inputs: 6..7 functions 0 nesting 2
//! skip references: there are too many stores to be tried one by one
/* How deep calls are nested is limited, and the limit is large. */
#include <assert.h>
#define MOST 100000
extern int body(int depth);
static int depth;
int enter(int by)
{
    if (depth >= MOST) return -1;
    depth++;
    int left = body(by);
    depth--;
#ifndef FIXED
    if (left == 7) depth--;
#endif
    assert(0 <= depth && depth < MOST);
    return left;
}
