//! safe
//! inputs: -1..1 functions 0 nesting 2
/* A private function whose pointer stays inside cannot be called. */
#include <assert.h>
static int n;
static void bump(void) { assert(++n < 2); }
static void (*kept)(void) = bump;
int same(void) { return kept == bump; }
