//! safe
//! inputs: -1..2 functions 0 nesting 3
/* The address of a local variable is passed on; another activation of the function does not disturb it. */
#include <assert.h>
extern int ask(void);
extern void say(int n);
static int parse(int *out) { int v = ask(); if (v < 0) return 0; *out = v; return 1; }
int m(void) { int r; if (!parse(&r)) return -1; say(r); assert(r >= 0); return r; }
