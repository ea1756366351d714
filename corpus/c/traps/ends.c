//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Ending the program is not the same as running for ever. */
#include <stdlib.h>
void m(void) { exit(0); }
