//! unsafe: m(-2147483648) · fail
//! moves: 1
//! inputs: -2147483648..-2147483648 functions 0 nesting 1
/* The least number divided by -1 has no value. */
static int minus = -1;
int m(int a) { return a / minus; }
