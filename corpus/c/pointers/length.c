//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..4 functions 0 nesting 1
/* The length of a string that is not terminated when the buffer is full. */
#include <assert.h>
static char buf[4];
static unsigned length(const char *s)
{
    const char *e = s;
    while (*e)
        e++;
    return e - s;
}
void run(unsigned char n)
{
    n %= 5;
#ifdef FIXED
    if (n > 3)
        n = 3;
#endif
    for (unsigned i = 0; i < n; i++)
        buf[i] = 'x';
    if (n < 4)
        buf[n] = 0;
    assert(length(buf) == n);
}
