//! unsafe: any
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
//! twin: modules/function-given-back.ia
/* A private function with a branch gives a private function, which the environment does not know. */
#include <assert.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static op pick(char c) { return c == '+' ? add : sub; }
int run(void)
{
    int r = pick('+')(2, 3);
#ifdef FIXED
    assert(r == 5);
#else
    assert(r == 6);
#endif
    return r;
}
