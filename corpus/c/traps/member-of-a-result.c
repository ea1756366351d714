//! unsafe: m(1) · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A structure that a function gives is no object, but it has members. */
#include <assert.h>
struct pair { int first; int rest[2]; };
static struct pair make(int n)
{
    struct pair made = { n, { n + 1, n + 2 } };
    return made;
}
void m(int n)
{
    struct pair own = { 7, { 8, 9 } };
    if (n < 0 || n > 2) return;
    assert(make(n).first == n && make(n).rest[1] == n + 2);
    assert((n ? own : make(0)).first == (n ? 7 : 0));
    assert((own = make(4)).rest[0] == 5 && own.first == 4);
#ifdef FIXED
    assert(make(n).rest[n > 1] == n + 1 + (n > 1));
#else
    assert(make(n).rest[n > 0] == n + 1);
#endif
}
