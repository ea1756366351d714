//! unsafe: bump() · ret · bump() · fail
//! moves: 2
//! inputs: -1..1 functions 0 nesting 2
/* A private function in data with external linkage can be called. There is no export. */
#include <assert.h>
static int n;
static void bump(void) { assert(++n < 2); }
void (*hook)(void) = bump;
