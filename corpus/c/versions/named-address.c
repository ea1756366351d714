//! safe
//! inequivalent: named-address-other.c
//! inputs: 0..1 functions 0 nesting 1
/* The environment may give the address of what it can name. */
int count;
int f(int *p) { return p == 0; }
