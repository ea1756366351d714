//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* Bit fields wrap, and become `int` where they are used. */
#include <assert.h>
struct flags { unsigned a : 3; int b : 3; unsigned c : 1; unsigned char d : 4; _Bool e : 1; };
int main(void)
{
    struct flags f = { 7, -1, 1, 15, 1 };
    assert(f.a == 7 && f.b == -1 && f.c == 1 && f.d == 15 && f.e);
    f.a++;
    f.d += 2;
    f.b = 3;
    f.b++;
    assert(f.a == 0 && f.d == 1);
#ifdef FIXED
    assert(f.b == -4);
#else
    assert(f.b == 4);
#endif
    assert(f.a - 1 < 0);
    assert(sizeof(struct flags) == 4);
    return 0;
}
