//! unsafe: m(-1) · fail
//! moves: 1
//! inputs: -1..1 functions 0 nesting 2
/* An enumeration with a negative member is signed. */
#include <assert.h>
enum e { MINUS = -1, A };
void m(enum e x) { assert(x >= 0); }
