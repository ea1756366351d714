//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 3
//! skip references: there are too many stores to be tried one by one
/* While callbacks run the table is busy, and how many of them are open is counted. */
#include <assert.h>
#include <limits.h>
extern void callback(int item);
static int busy;
void walk(int item)
{
    if (busy == INT_MAX) return;
    busy++;
    callback(item);
#ifdef FIXED
    busy--;
#else
    busy = 0;
#endif
}
void inner(int item)
{
    if (busy == INT_MAX) return;
    busy++;
    callback(item);
    assert(busy > 0);
    busy--;
}
