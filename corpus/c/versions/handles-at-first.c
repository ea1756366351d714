//! safe
//! inequivalent: handles-at-first-alike.c
//! inputs: 0..1 functions 0 nesting 1
/* Two handles, or one, are there from the start. */
struct thing { int v; };
static struct thing a, b;
struct thing *const x = &a, *const y = &b;
int m(struct thing *thing) { return thing == &a; }
