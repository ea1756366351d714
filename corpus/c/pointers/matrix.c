//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the next row is part of the same object
//! inputs: 0..1 functions 0 nesting 1
/* A row is left although the next row follows it. */
#include <assert.h>
static int m[2][3];
static int sum(int *row, int n)
{
    int s = 0;
    for (int j = 0; j < n; j++)
        s += row[j];
    return s;
}
void run(unsigned char i)
{
    int (*r)[3] = &m[i & 1];
    (*r)[2] = 4;
#ifdef FIXED
    assert(sum(m[0], 3) + sum(m[1], 3) >= 4);
#else
    assert(sum(m[0], 6) >= 4);
#endif
}
