//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* Counted objects that point to each other. The wrong version drops the link and then follows it. */
#include <assert.h>
#include <stdlib.h>
struct object { int count; struct object *other; };
static int alive;
static struct object *make(void)
{
    struct object *o = malloc(sizeof *o);
    o->count = 1;
    o->other = 0;
    alive++;
    return o;
}
static void drop(struct object *o)
{
    if (!o || --o->count > 0) return;
#ifdef FIXED
    drop(o->other);
    free(o);
#else
    free(o);
    drop(o->other);
#endif
    alive--;
}
int main(void)
{
    struct object *a = make(), *b = make();
    a->other = b;
    b->count++;
    drop(b);
    assert(alive == 2);
    drop(a);
    assert(alive == 0);
    return 0;
}
