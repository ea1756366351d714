//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A ring buffer with two pointers. The reader wraps too late. */
#include <assert.h>
static unsigned char ring[3], *in = ring, *out = ring;
static unsigned char *after(unsigned char *p) { return p + 1 == ring + 3 ? ring : p + 1; }
int put(unsigned char v)
{
    if (after(in) == out)
        return -1;
    *in = v;
    in = after(in);
    return 0;
}
int get(void)
{
    if (in == out)
        return -1;
    unsigned char v = *out;
#ifdef FIXED
    out = after(out);
#else
    out++;
#endif
    return v;
}
