//! with --threads-of-environment 2: unsafe: any
//! safe
//! skip gcc: another thread writes between two reads
//! inputs: 0..1 functions 0 nesting 2
/* With threads, data with external linkage may change between two reads. */
#include <assert.h>
int count;
void m(void) { int seen = count; assert(count == seen); }
