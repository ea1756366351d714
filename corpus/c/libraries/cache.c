//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A cached square: a miss asks for the key, and another miss meanwhile may replace it. */
#include <assert.h>
extern int compute(int key);
static int key, value, valid;
int lookup(int k)
{
    if (valid && key == k) return value;
#ifdef FIXED
    int v = compute(k);
    valid = 1;
    key = k;
    value = v;
    assert(key == k && value == v);
    return v;
#else
    valid = 0;
    key = k;
    int v = compute(k);
    value = v;
    valid = 1;
    assert(key == k);
    return v;
#endif
}
