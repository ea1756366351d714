//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2 activations 4
//! skip references: there are too many stores to be tried one by one
/* A slot has a generation; who looked before the callback looks again after it. */
#include <assert.h>
#include <limits.h>
extern void flush(int value);
static unsigned generation;
static int value, present;
static int renew(void)
{
    if (generation == UINT_MAX) return 0;
    generation++;
    return 1;
}
void set(int v) { if (renew()) { value = v; present = 1; } }
void drop(void) { if (renew()) present = 0; }
void commit(void)
{
    if (!present || !renew()) return;
    unsigned seen = generation;
    int v = value;
    flush(v);
#ifdef FIXED
    if (seen != generation) return;
#else
    (void)seen;
#endif
    assert(present && value == v);
    present = 0;
}
