//! safe
//! inputs: 0..1 functions 0 nesting 1
const char *name = "b";
int m(void) { return 0; }
