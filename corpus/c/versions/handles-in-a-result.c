//! safe
//! inequivalent: handles-in-a-result-other.c
//! inputs: 0..1 functions 0 nesting 1
/* Two handles, or one: the structures that are given have them. */
struct thing { int v; };
struct box { struct thing *thing; };
static struct thing a, b;
struct box make(_Bool first)
{
    struct box box = { first ? &a : &b };
    return box;
}
