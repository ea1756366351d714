//! unsafe: m(null) · fail
//! moves: 1
//! inputs: 0..0 functions 1 nesting 2
/* The environment may give a null pointer where a function is asked for. */
void m(void (*f)(void)) { f(); }
