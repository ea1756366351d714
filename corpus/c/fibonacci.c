//! safe
//! inputs: 0..9 functions 0 nesting 1
//! twin: modules/fibonacci.ia
/* Fibonacci numbers by recursion and by a loop. */
#include <assert.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
void ask(unsigned char n)
{
    int a = 0, b = 1;
    if (n > 9) return;
    for (int i = 0; i < n; i++) {
        int next = a + b;
        a = b;
        b = next;
    }
    assert(fib(n) == a);
}
