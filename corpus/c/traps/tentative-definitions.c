//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Two tentative definitions are one object; it is private with `static`. */
#include <assert.h>
static int n;
static int n;
void m(void) { n = 1; assert(n == 1); }
