//! safe
//! equivalent: data-untouched.c
//! inputs: -1..1 functions 0 nesting 1
/* Nobody sees that data is read, nor that the same value is written back. */
int count;
void m(void) { count = count; }
