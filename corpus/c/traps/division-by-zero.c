//! unsafe: m(0) · fail
//! moves: 1
//! inputs: 0..1 functions 0 nesting 1
/* A divisor is 0. */
int m(unsigned char n) { return 100 / (n % 7); }
