//! safe
//! inputs: -1..1 functions 0 nesting 1
/* A constant with external linkage can be read. */
const int version = 1;
void m(void) { }
