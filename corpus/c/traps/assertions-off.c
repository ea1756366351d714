//! safe
//! with -DON: unsafe: m(1) · fail
//! inputs: 0..1 functions 0 nesting 1
/* Without assertions their expressions are not evaluated. */
#ifndef ON
#define NDEBUG
#endif
#include <assert.h>
static int n;
void m(int k) { assert(k == 0 && ++n); }
