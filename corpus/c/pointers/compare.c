//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
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
void run(unsigned i, unsigned j)
{
    int c = compare(words[i % 4], words[j % 4]);
    assert((c == 0) == (i % 4 == j % 4));
}
