//! unsafe: any
//! with -DFIXED: safe
//! inputs: 6..8 functions 0 nesting 1
/* A structure is passed by value: the function changes its own copy. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct pair { int first, second; };
static struct pair swapped(struct pair p)
{
    int kept = p.first;
    p.first = p.second;
    p.second = kept;
    return p;
}
int main(void)
{
    struct pair p = {__VERIFIER_nondet_int(), 2};
    struct pair q = swapped(p);
#ifdef FIXED
    assert(q.first == p.second && q.second == p.first);
#else
    assert(q.first == p.first || p.first != 7);
#endif
    return 0;
}
