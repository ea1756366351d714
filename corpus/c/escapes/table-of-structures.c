//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A constant array of structures names private functions, and an array of structures is shared: a client uses both. */
#include <assert.h>
struct entry {
    int number;
    void (*call)(int n);
};
struct row {
    int first;
    int rest[2];
};
struct row rows[2];
static int count;
static void up(int n)
{
    if (rows[1].rest[1] == 1 && n == 1) count = 1;
}
static void down(int n)
{
    (void)n;
#ifndef FIXED
    assert(count == 0);
#endif
    count = 0;
}
const struct entry table[2] = { { 1, up }, { 2, down } };
