//! safe
//! with --check overflow: safe
//! inputs: -2147483648..-2147483647 functions 0 nesting 1
/* What the right side of `&&` checks is not checked if the left side is 0. */
static int found;
void m(int x) { if (x > -2147483647 - 1 && -x > 0) found = 1; }
