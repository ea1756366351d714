//! unsafe: m(1) · fail
//! moves: 1
//! skip gcc: it has no check for values that were never set
//! inputs: 0..2 functions 0 nesting 1
/* An element of a local array is read that was not set. */
int m(unsigned i)
{
    int a[2];
    a[0] = 1;
    return i < 2 ? a[i] : 0;
}
