//! safe
//! inputs: -1..1 functions 0 nesting 2
/* What is declared and not used is no import. */
#include <assert.h>
extern int unused(void);
static int x;
void m(void) { x = 1; assert(x); }
