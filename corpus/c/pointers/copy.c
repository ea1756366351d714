//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The longest word does not fit. */
#include <assert.h>
static const char *const words[3] = { "on", "off", "auto" };
#ifdef FIXED
static char mode[5];
#else
static char mode[4];
#endif
static void copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}
void set(unsigned char n)
{
    copy(mode, words[n % 3]);
    assert(mode[0] == 'o' || mode[0] == 'a');
}
