//! unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* A variable lives as long as its block. */
int m(void) { int *p; { int x = 1; p = &x; } return *p; }
