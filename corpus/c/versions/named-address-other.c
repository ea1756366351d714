//! safe
//! inputs: 0..1 functions 0 nesting 1
int count;
int f(int *p) { return p == 0 || p == &count; }
