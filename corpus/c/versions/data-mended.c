//! safe
//! inequivalent: data-untouched.c
//! inputs: -1..1 functions 0 nesting 1
/* One number is changed to another one: only an environment that has written it there sees this. */
int count;
void m(void) { if (count == 7) count = 8; }
