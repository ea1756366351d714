//! unsafe: any
//! inputs: 0..1 functions 0 nesting 1
/* The end of an array is not the beginning of the next object. */
static int a[2], b[2];
int m(void) { int *p = a + 2; *p = 1; return b[0]; }
