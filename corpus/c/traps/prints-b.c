//! safe
//! inequivalent: prints-a.c
//! skip equiv: plays do not show what is written, so such modules are not compared
//! inputs: -1..1 functions 0 nesting 2
/* What is printed can be seen. */
#include <stdio.h>
void m(void) { puts("b"); }
