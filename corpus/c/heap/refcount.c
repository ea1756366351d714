//! unsafe: any
//! with -DFIXED: safe-up-to: 3 allocated objects of type `struct object` at once
//! inputs: 0..0 functions 0 nesting 2
/* The last reference goes while the object is in use. */
#include <stdlib.h>
struct object { unsigned char refs, uses; };
extern void used(void);
static struct object *o;
static void unref(struct object *p)
{
    if (--p->refs == 0)
        free(p);
}
void make(void)
{
    if (!o) {
        o = calloc(1, sizeof *o);
        o->refs = 1;
    }
}
void drop(void)
{
    struct object *p = o;
    o = 0;
    if (p)
        unref(p);
}
void use(void)
{
    struct object *p = o;
    if (!p || p->refs > 2)
        return;
#ifdef FIXED
    p->refs++;
#endif
    used();
    p->uses = 1;
#ifdef FIXED
    unref(p);
#endif
}
