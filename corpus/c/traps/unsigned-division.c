//! safe
//! inputs: 0..3 functions 0 nesting 1
/* There is no such pair of unsigned numbers. */
unsigned m(unsigned a, unsigned b) { return b == 0 ? 0 : a / b; }
