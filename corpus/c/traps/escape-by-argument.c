//! unsafe: start() · give(bump) · bump() · fail
//! moves: 2
//! inputs: -1..1 functions 0 nesting 2
/* A private function that is given to an import can be called at once. */
#include <assert.h>
extern void give(void (*f)(void));
static int n = 1;
static void bump(void) { assert(++n < 2); }
void start(void) { give(bump); }
