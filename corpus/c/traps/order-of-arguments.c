//! unsafe: any
//! moves: 1
//! with --evaluation left: safe
//! inputs: -1..1 functions 0 nesting 2
/* Arguments are evaluated in any order. */
#include <assert.h>
static int n;
static int next(void) { return n++; }
static void both(int a, int b) { assert(a < b); }
void m(void) { n = 0; both(next(), next()); }
