//! unsafe: m() · fail
//! moves: 1
//! inputs: -1..1 functions 0 nesting 2
/* An unsigned counter is never negative. */
static int a[4];
void m(void) { for (unsigned i = 3; i >= 0; i--) a[i] = 1; }
