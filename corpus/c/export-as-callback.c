//! unsafe: reg(m) · fail
//! moves: 1
//! inputs: 0..0 functions 1 nesting 2
//! twin: modules/export-as-callback.ia
/* The environment may give an export where a function is asked for. */
#include <assert.h>
void m(void) {}
void reg(void (*cb)(void)) { assert(cb != m); }
