//! unsafe: m() · die() · look() · fail
//! moves: 2
//! inputs: -1..1 functions 0 nesting 2
/* An import that does not return may call back. */
#include <assert.h>
_Noreturn extern void die(void);
static int broken;
void m(void) { broken = 1; die(); }
void look(void) { assert(!broken); }
