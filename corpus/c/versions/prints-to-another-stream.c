//! safe
//! inequivalent: prints-errors.c
//! skip gcc: the environment cannot tell streams apart
//! inputs: -1..1 functions 0 nesting 1
/* Messages go to the other stream. */
#include <stdio.h>
void m(void) { fputs("failed\n", stdout); }
