//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..4 functions 0 nesting 1
/* A table of pointers has a gap. */
#include <assert.h>
struct level { int limit; };
static struct level low = { 1 }, high = { 9 };
static struct level *table[4] = { &low, &low, 0, &high };
void run(unsigned n)
{
#ifdef FIXED
    if (n > 3 || !table[n])
        return;
#else
    if (n > 3)
        return;
#endif
    assert(table[n]->limit > 0);
}
