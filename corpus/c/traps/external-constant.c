//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Constant data keeps its value, with external linkage too. */
#include <assert.h>
const int limit = 3;
extern void cb(void);
void m(void) { cb(); assert(limit == 3); }
