//! unsafe: any
//! moves: 2
//! inputs: -1..98 functions 0 nesting 1
//! skip gcc: its library gives one number for each character
//! skip references: the number is any of its type
/* C promises a number that is not 0 for a letter, not 1. */
#include <assert.h>
#include <ctype.h>
void m(int c) { if (c == 'a') assert(isalpha(c) == 1); }
