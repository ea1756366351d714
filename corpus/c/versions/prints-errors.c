//! safe
//! inputs: -1..1 functions 0 nesting 1
/* Messages go to the stream of errors. */
#include <stdio.h>
void m(void) { fputs("failed\n", stderr); }
