//! unsafe: any
//! with --private-data all: safe
//! inputs: -1..1 functions 0 nesting 2
/* The environment may change data with external linkage before a call. */
#include <assert.h>
int count;
void m(void) { assert(count == 0); }
