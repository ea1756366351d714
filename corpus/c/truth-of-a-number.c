//! safe
//! inputs: 0..3 functions 0 nesting 2
//! twin: modules/truth-of-a-number.ia
/* `_Bool` keeps whether a number is 0, not its last bit. */
#include <assert.h>
static _Bool b;
void m(int v) { b = v; assert(b == (v != 0)); }
