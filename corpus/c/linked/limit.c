//! safe
//! inputs: 0..0 functions 0 nesting 1
/* The other file of the module. */
static int n = 2;
int allowed(int k) { return k <= n; }
