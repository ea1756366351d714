//! safe
//! inequivalent: constant-functions-other.c
//! inputs: 0..1 functions 0 nesting 1
/* A constant shows private functions. */
static int x;
static void f(void) { x = 1; }
void (*const hook)(void) = f;
int r(void) { return x; }
