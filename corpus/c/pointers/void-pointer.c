//! safe
//! inputs: 0..2 functions 0 nesting 1
/* A pointer goes through `void *` and comes back as what it was. */
#include <assert.h>
struct pair { int a, b; };
static struct pair p;
static void add(void *data, int n)
{
    struct pair *q = data;
    q->a += n;
    q->b = n;
}
void run(int n)
{
    p.a = 0;
    add(&p, n);
    assert(p.a == n && p.b == n);
}
