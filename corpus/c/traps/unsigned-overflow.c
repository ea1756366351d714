//! safe
//! with --check overflow: safe
//! with --check unsigned-overflow: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* Unsigned numbers wrap around, which is no failure unless it is asked for. */
unsigned m(unsigned n) { return n - 1; }
