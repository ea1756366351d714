//! unsafe: m(32) · fail
//! moves: 1
//! inputs: 31..33 functions 0 nesting 1
/* The amount of a shift is less than the width of the promoted left side. */
unsigned m(unsigned n) { return n > 32 ? 0 : 1u << n; }
