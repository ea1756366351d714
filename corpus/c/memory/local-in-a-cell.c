//! unsafe: any
//! inputs: 0..1 functions 0 nesting 3
/* The address of a local variable is stored: another call changes the variable while its activation waits. */
#include <assert.h>
extern void cb(void);
static int *cur;
void f(void) { int x = 0; cur = &x; cb(); assert(x == 0); cur = 0; }
void g(void) { if (cur) *cur = 1; }
