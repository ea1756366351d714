//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A function gives a structure, and in it a handle. */
#include <assert.h>
struct thing { int used; };
struct pair { struct thing *thing; int size; };
static struct thing only;
struct pair get(void)
{
    struct pair pair = { 0, 1 };
#ifndef FIXED
    pair.thing = &only;
#endif
    return pair;
}
void use(struct thing *thing) { assert(!thing); }
