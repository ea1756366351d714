//! safe
//! inequivalent: handle-at-first-other.c
//! inputs: 0..1 functions 0 nesting 1
/* The handle that is there from the start comes back. */
struct thing { int v; };
static struct thing a, b;
struct thing *x = &a;
int m(struct thing *thing) { return thing == &a; }
