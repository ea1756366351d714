//! unsafe: any
//! skip gcc: nobody can say when volatile data changes
//! inputs: 0..1 functions 0 nesting 1
/* Each read of volatile data with external linkage is the environment's. */
#include <assert.h>
volatile int device;
void m(void) { if (device == 0) assert(device == 0); }
