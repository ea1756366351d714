//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* Where bit fields lie says how large a structure is. */
#include <assert.h>
struct a { unsigned x : 20; unsigned y : 20; };
struct b { char c; unsigned x : 20; };
struct c { unsigned x : 4; unsigned : 0; unsigned y : 4; };
struct d { char c; int : 4; char e; };
struct e { _Bool x : 1; char y : 3; short z : 9; };
union f { unsigned x : 3; char c; };
int main(void)
{
    assert(sizeof(struct a) == 8);
    assert(sizeof(struct b) == 4);
    assert(sizeof(struct c) == 8);
    assert(sizeof(struct d) == 3);
    assert(sizeof(struct e) == 2);
#ifdef FIXED
    assert(sizeof(union f) == 4);
#else
    assert(sizeof(union f) == 1);
#endif
    return 0;
}
