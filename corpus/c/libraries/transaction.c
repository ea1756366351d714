//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A transaction is rolled back to the value at its beginning. */
#include <assert.h>
extern int validate(int value);
static int value, open, saved;
int update(int v)
{
#ifdef FIXED
    if (open) return -1;
#endif
    open = 1;
    saved = value;
    int before = value;
    value = v;
    if (!validate(v)) {
        value = saved;
        assert(value == before);
    }
    open = 0;
    return 0;
}
