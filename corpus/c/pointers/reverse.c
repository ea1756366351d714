//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The string is reversed with its terminator. */
#include <assert.h>
static char word[] = "abc";
static void reverse(char *l)
{
    char *r = l;
    while (*r)
        r++;
#ifdef FIXED
    r--;
#endif
    while (l < r) {
        char c = *l;
        *l++ = *r;
        *r-- = c;
    }
}
void run(void)
{
    reverse(word);
    assert(word[0] == 'a' || word[0] == 'c');
}
