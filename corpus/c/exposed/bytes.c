//! refused: E0611
//! with --exposed volatile: safe
//! with -DWRONG --exposed volatile: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
//! skip gcc: nobody can say when the object changes
//! skip references: there are more pointers than can be tried one by one
/* Characters of the environment are copied to a buffer of the module; a length of the environment is not trusted. */
#include <assert.h>
static char buffer[4];
static int used;
int put(const char *text, int length)
{
    if (!text || length < 0)
        return -1;
#ifndef WRONG
    if (length > 4)
        return -1;
#endif
    for (used = 0; used < length; used++)
        buffer[used] = text[used];
    return used;
}
int last(void) { return used > 0 ? buffer[used - 1] : 0; }
