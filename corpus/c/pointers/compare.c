//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Two equal strings are compared beyond their ends. */
#include <assert.h>
static const char *const words[4] = { "get", "set", "ge", "gets" };
static int compare(const char *s, const char *t)
{
#ifdef FIXED
    while (*s && *s == *t)
#else
    while (*s == *t)
#endif
        s++, t++;
    return *s - *t;
}
void run(_Bool a, _Bool b, _Bool c, _Bool d)
{
    int i = 2 * a + b, j = 2 * c + d;
    int order = compare(words[i], words[j]);
    assert((order == 0) == (i == j));
}
