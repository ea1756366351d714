//! unsafe: m(f) · fail
//! moves: 1
//! inputs: 0..0 functions 1 nesting 1
/* The environment may give an import where a function is asked for: it is the same function. */
#include <assert.h>
extern void f(void);
void call(void) { f(); }
void m(void (*g)(void)) { assert(g != f); }
