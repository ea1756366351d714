//! safe
//! inputs: 0..1 functions 0 nesting 1
struct thing { int v; };
static struct thing a, b;
struct thing *x = &a;
int m(struct thing *thing) { return thing == &b; }
