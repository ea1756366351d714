//! unsafe: any
//! moves: 4
//! with --evaluation left: unsafe: any
//! inputs: 0..1 functions 0 nesting 2
//! twin: modules/read-before-a-call.ia
/* What was read before a call is not what the object holds after it. */
#include <assert.h>
#include <stdbool.h>
extern void f(void);
extern bool h(void);
static int x;
static int g(void) { f(); return x; }
void set(int v) { x = v; }
void m(void) { if (h()) assert(x == g()); }
