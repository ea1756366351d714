//! safe
//! inputs: 0..1 functions 0 nesting 1
struct thing { int v; };
struct box { struct thing *thing; };
static struct thing a, b;
struct box make(_Bool first)
{
    struct box box = { first ? &a : &a };
    return box;
}
