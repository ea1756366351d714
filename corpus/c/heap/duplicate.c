//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: a sanitizer gives memory for malloc(0)
//! inputs: 0..1 functions 0 nesting 1
/* A string is duplicated, without room for its end. */
#include <stdlib.h>
static const char *const words[3] = { "", "a", "bc" };
static char *name;
static char *duplicate(const char *s)
{
    unsigned n = 0;
    while (s[n])
        n++;
#ifdef FIXED
    char *t = malloc(n + 1);
#else
    char *t = malloc(n);
#endif
    for (unsigned i = 0; i <= n; i++)
        t[i] = s[i];
    return t;
}
void set(_Bool a, _Bool b)
{
    free(name);
    name = duplicate(words[a + b]);
}
