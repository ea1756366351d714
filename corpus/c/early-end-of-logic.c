//! safe
//! inputs: -1..5 functions 0 nesting 1
//! twin: modules/early-end-of-logic.ia
/* The right side of `&&` is not evaluated if the left is 0. */
static int a[4];
void m(int i) { if (i >= 0 && i < 4 && a[i]) a[i] = 0; }
