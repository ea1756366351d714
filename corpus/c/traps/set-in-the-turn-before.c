//! unsafe: any
//! moves: 1
//! skip gcc: it has no check for values that were never set
//! inputs: -1..1 functions 0 nesting 2
/* A local of a block is not set when the block is entered again. */
int m(void)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int x;
        if (i == 0) x = 5;
        sum += x;
    }
    return sum;
}
