//! unsafe: m(1) · fail
//! inputs: 0..2 functions 0 nesting 1
/* See aborts.c. */
#include <assert.h>
void m(int n) { assert(n != 1); }
