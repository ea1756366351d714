//! safe
//! inputs: -1..1 functions 0 nesting 1
/* Whether a character is a digit is known, whatever number says so. */
#include <assert.h>
#include <ctype.h>
static int n;
void m(int c)
{
    if (isdigit(c)) n = c - '0';
    assert(n >= 0 && n <= 9);
    assert(!isalpha(c) || isalpha(c) != 0);
}
