//! safe
//! inequivalent: data-untouched.c
//! inputs: -1..1 functions 0 nesting 1
/* A module that writes without looking is seen by an environment that has written something else. */
int count;
void m(void) { count = 7; }
