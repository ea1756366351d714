//! safe
//! inputs: 0..2 functions 0 nesting 1
/* See aborts.c: a status is another end. */
#include <stdlib.h>
void m(int n) { if (n == 1) exit(134); }
