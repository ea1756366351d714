//! unsafe: m(-1) · fail
//! moves: 1
//! inputs: -1..1 functions 0 nesting 2
/* The amount of a shift is not negative. */
int m(signed char n) { return n > 5 ? 0 : 1 << n; }
