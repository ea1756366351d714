//! safe
//! inequivalent: sets-one.c
//! inputs: -1..1 functions 0 nesting 2
/* What is stored in data with external linkage can be seen. */
int count;
void m(void) { count = 2; }
