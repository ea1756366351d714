//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Words between blanks are counted. A blank at the end is taken for the beginning of one more. */
#include <assert.h>
static const char *const lines[4] = { "", "a", "a bc", "a " };
static const int count[4] = { 0, 1, 2, 1 };
static const char *skip(const char *s)
{
#ifdef FIXED
    while (*s && *s != ' ')
#else
    while (*s != ' ' && *s != 'c')
#endif
        s++;
    return s;
}
void run(_Bool a, _Bool b)
{
    int i = 2 * a + b;
    int n = 0;
    const char *s = lines[i];
    for (;;) {
        while (*s == ' ')
            s++;
        if (!*s)
            break;
        n++;
        s = skip(s);
#ifndef FIXED
        s++;
#endif
    }
    assert(n == count[i]);
}
