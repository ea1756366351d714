//! refused: E0610
/* A constant with external linkage leads to private data. */
#include <assert.h>
static int x;
int *const px = &x;
void m(void) { assert(x == 0); }
