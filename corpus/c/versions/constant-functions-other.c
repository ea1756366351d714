//! safe
//! inputs: 0..1 functions 0 nesting 1
static int x;
static void f(void) { x = 2; }
void (*const hook)(void) = f;
int r(void) { return x; }
