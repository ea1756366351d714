//! safe
//! inputs: 0..1 functions 0 nesting 1
struct thing { int v; };
extern void give(struct thing *, struct thing *);
static struct thing a, b;
void m(void) { give(&a, &a); }
