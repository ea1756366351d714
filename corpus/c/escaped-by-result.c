//! unsafe: get() · ret bump · bump() · ret · bump() · fail
//! moves: 3
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/escaped-by-result.ia
/* A private function that an export gives away can be called. */
#include <assert.h>
static int n;
static void bump(void) { assert(++n < 2); }
void (*get(void))(void) { return bump; }
