//! unsafe: run() · fail
//! moves: 1
//! twin: modules/fails-at-once.ia
//! inputs: 0..0 functions 0 nesting 1
/* Who fails does not return either, but is seen to fail. */
#include <assert.h>
void run(void) { assert(0); }
