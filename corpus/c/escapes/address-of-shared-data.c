//! unsafe: any
//! moves: 1
//! with -DFIXED: safe
//! with --private-data count: safe
//! inputs: 0..1 functions 0 nesting 1
/* The environment knows the addresses of data with external linkage. */
#include <assert.h>
int count;
static int hidden;
#ifdef FIXED
void f(int *p) { assert(p != &hidden); }
#else
void f(int *p) { assert(p != &count && p != &hidden); }
#endif
