//! unsafe: m(0) · fail
//! moves: 1
//! skip gcc: it has no check for values that were never set
//! inputs: 0..1 functions 0 nesting 1
/* A local is read that was not set on this way. */
int m(int c)
{
    int x;
    if (c) x = 1;
    return x;
}
