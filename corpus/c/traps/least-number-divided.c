//! unsafe: any
//! moves: 1
//! inputs: -2147483648..-2147483648 functions 0 nesting 1
/* The least number divided by -1 has no value. */
int m(int a, int b) { return b == 0 ? 0 : a / b; }
