//! unsafe: put() · fail
//! moves: 1
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/one-past-the-end.ia
/* The element behind the last one is no element of the array that is declared next. */
static int a[2], b[2], at = 2;
void put(void) { a[at] = 1; }
int look(void) { return b[0]; }
