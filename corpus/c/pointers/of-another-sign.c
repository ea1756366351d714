//! unsafe: m(-1) · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: -1..1 functions 0 nesting 1
/* An object may be read as the integer type of the other sign. */
#include <assert.h>
static int number;
static unsigned length(const unsigned char *text)
{
    unsigned n = 0;
    while (text[n] != 0 && text[n] < 200) n++;
    return n;
}
void m(int n)
{
    unsigned *bits = (unsigned *)&number;
    char text[3] = { 'a', -1, 0 };
    number = n;
    assert(length((unsigned char *)text) == 1);
#ifdef FIXED
    assert(*bits == (unsigned)n);
    *bits += 1;
    assert(number == n + 1);
#else
    assert(*bits < 5);
#endif
}
