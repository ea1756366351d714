//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: only the environment changes what is volatile, and at any moment
//! inputs: 0..1 functions 0 nesting 1
/* Behind the `*` it is the pointer that is volatile, before it what the pointer leads to. */
#include <assert.h>
#ifdef FIXED
volatile void *place;
#else
void *volatile place;
#endif
void m(void) { assert(place == place); }
