//! safe
//! inequivalent: prints-a.c
//! inputs: -1..1 functions 0 nesting 2
/* What is printed can be seen. */
#include <stdio.h>
void m(void) { puts("b"); }
