//! safe
//! inequivalent: handles-in-a-call-alike.c
//! inputs: 0..1 functions 0 nesting 1
/* One call hands out two handles, or one handle twice. */
struct thing { int v; };
extern void give(struct thing *, struct thing *);
static struct thing a, b;
void m(void) { give(&a, &b); }
