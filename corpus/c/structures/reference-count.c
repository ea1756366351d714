//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A counted object. The wrong version does not count the second owner. */
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
struct object { int count, value; };
static struct object *make(int value)
{
    struct object *o = malloc(sizeof *o);
    o->count = 1;
    o->value = value;
    return o;
}
static struct object *share(struct object *o)
{
#ifdef FIXED
    o->count++;
#endif
    return o;
}
static void drop(struct object *o)
{
    if (--o->count == 0) free(o);
}
int main(void)
{
    struct object *a = make(any(2)), *b = share(a);
    int value = a->value;
    drop(a);
    assert(b->value == value);
    drop(b);
    return 0;
}
