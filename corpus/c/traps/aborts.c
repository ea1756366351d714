//! safe
//! equivalent: asserts.c
//! inequivalent: exits.c
//! inputs: 0..2 functions 0 nesting 1
/* A process that aborts ends as one whose assertion fails: nobody tells them apart, though only one of them is a failure. */
#include <stdlib.h>
void m(int n) { if (n == 1) abort(); }
