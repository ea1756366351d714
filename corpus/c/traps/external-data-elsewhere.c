//! unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* Data that is defined elsewhere belongs to the environment as well. */
#include <assert.h>
extern int limit;
void m(void) { assert(limit != 1); }
