//! unsafe: ask(0) · fail
//! moves: 1
//! inputs: 0..3 functions 0 nesting 1
//! twin: modules/gcd-wrong.ia
/* Euclid's algorithm divides by zero if it stops too late. */
#include <assert.h>
static int gcd(int a, int b) { return a % b == 0 ? b : gcd(b, a % b); }
void ask(unsigned char b) { if (b < 4) assert(gcd(6, b) > 0); }
