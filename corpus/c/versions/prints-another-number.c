//! safe
//! inequivalent: prints.c
//! inputs: -1..1 functions 0 nesting 1
/* The number is not the same. */
#include <stdio.h>
void m(int x) { if (x > 3) printf("%d is large\n", x + 1); else puts("small"); }
