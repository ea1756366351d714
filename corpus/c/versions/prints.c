//! safe
//! inputs: -1..1 functions 0 nesting 1
/* Texts and numbers are printed. */
#include <stdio.h>
void m(int x) { if (x > 3) printf("%d is large\n", x); else puts("small"); }
