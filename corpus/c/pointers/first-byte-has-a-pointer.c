//! safe
//! with -DWRONG: unsafe: any
//! inputs: 0..2 functions 0 nesting 1
/* A pointer to a structure becomes one to characters. The first member is a character, and has pointers of its own elsewhere. */
#include <assert.h>
struct lead {
    signed char first;
    short rest[2];
};
static struct lead all[2] = { { 4, { 1 } }, { 6, { 2 } } };
int get(int n)
{
    struct lead *whole = all + (n & 1);
    signed char *own = &all[0].first;
    signed char *byte = (signed char *)(void *)whole;
    *byte ^= 1;
    int value = whole->first;
    *byte ^= 1;
    assert((n & 1) || *own == *byte);
    assert((struct lead *)byte == whole && (struct lead *)own == all);
    assert(((void *)own == (void *)byte) == !(n & 1));
#ifdef WRONG
    assert(value != 7);
#else
    assert(value == 5 || value == 7);
#endif
    return value;
}
