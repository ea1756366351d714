//! safe
//! with -DWRONG: unsafe: any
//! inputs: 0..2 functions 0 nesting 1
/* A pointer to characters leads to the first member of a structure, if that is a character; another one leads elsewhere. */
#include <assert.h>
struct lead {
    char first;
    short rest[2];
};
static struct lead all[2] = { { 4, { 1 } }, { 6, { 2 } } };
static char alone = 9;
int get(int n)
{
    unsigned char *q = n == 2 ? (unsigned char *)&alone : (unsigned char *)&all[n & 1];
    *q += 1;
    int value = *q;
    *q -= 1;
    assert(all[0].rest[0] == 1 && all[1].rest[0] == 2);
#ifdef WRONG
    assert(value != 7);
#else
    assert(value == 5 || value == 7 || value == 10);
#endif
    return value;
}
