//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The body of a loop in a loop runs as often as the product says. */
#include <assert.h>
int main(void)
{
    int rounds = 0;
    for (int i = 0; i < 7; i++)
        for (int j = i; j < 7; j++)
            rounds++;
#ifdef FIXED
    assert(rounds == 28);
#else
    assert(rounds == 49);
#endif
    return 0;
}
