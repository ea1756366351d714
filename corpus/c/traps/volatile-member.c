//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: only the environment changes what is volatile, and at any moment
//! inputs: 0..1 functions 0 nesting 1
/* A member may be volatile, and others beside it not: so device registers are written down. */
#include <assert.h>
struct device { volatile int state; int data; };
extern struct device device;
#ifdef FIXED
void m(void) { if (device.data == 0) assert(device.data == 0); }
#else
void m(void) { if (device.state == 0) assert(device.state == 0); }
#endif
