//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A string literal is constant, though pointers to it do not say so. An array that it initialises is not. */
#include <assert.h>
#ifdef FIXED
static char word[] = "ab";
#else
static char *word = "ab";
#endif
void put(char c)
{
    word[1] = c;
    assert(word[1] == c && word[0] == 'a');
}
