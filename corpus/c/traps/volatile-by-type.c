//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: only the environment changes what is volatile, and at any moment
//! inputs: 0..1 functions 0 nesting 1
/* The name of a type may bring the qualifier along (C11 6.7.8). */
#include <assert.h>
typedef volatile int register_t_;
#ifdef FIXED
extern int port;
#else
extern register_t_ port;
#endif
void m(void) { assert(port == port); }
