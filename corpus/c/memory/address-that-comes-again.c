//! unsafe: any
//! skip gcc: an allocator takes one of the two ways
//! inputs: 0..1 functions 0 nesting 1
/* The address of freed memory may come again, or not. */
#include <stdlib.h>
int m(void) { int *old = malloc(sizeof *old); free(old); int *now = malloc(sizeof *now); *now = 1; return *old; }
