//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Strings may be arguments of functions that print. */
#include <assert.h>
#include <stdio.h>
static int n;
void m(int k)
{
    n = 1;
    printf("k is %d\n", k);
    puts("done");
    assert(n == 1);
}
