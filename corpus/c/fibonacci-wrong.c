//! unsafe: ask(8) · fail
//! moves: 1
//! inputs: 6..9 functions 0 nesting 1
//! twin: modules/fibonacci-wrong.ia
/* Fibonacci numbers outgrow twice their index. */
#include <assert.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
void ask(unsigned char n) { if (n < 10) assert(fib(n) <= 2 * n); }
