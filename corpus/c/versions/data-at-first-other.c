//! safe
//! inequivalent: data-at-first.c
//! inputs: -1..1 functions 0 nesting 1
/* The limit begins with another number. */
int limit = 4;
int m(void) { return limit; }
