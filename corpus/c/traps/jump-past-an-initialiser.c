//! unsafe: any
//! moves: 1
//! skip gcc: it has no check for values that were never set
//! inputs: 0..1 functions 0 nesting 1
/* A jump past a declaration leaves the variable without a value. */
int m(int c)
{
    if (c) goto in;
    return 0;
    {
        int x = 1;
in:
        return x;
    }
}
