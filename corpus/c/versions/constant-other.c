//! safe
//! inequivalent: constant.c
//! inputs: -1..1 functions 0 nesting 1
/* It holds another number. */
const int version = 2;
void m(void) { }
