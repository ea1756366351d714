//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* What the types alone decide, and initialisers with ranges, braces around strings and lengths that are constant variables. */
#include <assert.h>
#include <stddef.h>
struct mixed { char c; int i; short h[3]; long l; };
static int steps[6] = { [1 ... 3] = 7, [5] = 1 };
static char word[] = { "hi" };
#define KIND(e) _Generic((e), int: 1, long: 2, unsigned: 3, default: 4)
void m(void)
{
    const int count = 3;
    int own[count + 1];
    own[3] = steps[3];
    assert(sizeof own == 16 && own[3] == 7 && steps[0] == 0 && steps[4] == 0 && sizeof word == 3);
    assert(offsetof(struct mixed, h[2]) == 12 && offsetof(struct mixed, l) == 16);
    assert(__func__[0] == 'm' && sizeof __func__ == 2 && 'ab' == 'a' * 256 + 'b' && L'x' == 'x');
#ifdef FIXED
    assert(KIND(1L) == 2 && KIND((short)1 + 0) == 1 && KIND(1u) == 3 && KIND(&own) == 4);
#else
    assert(KIND(1L) == 1);
#endif
}
