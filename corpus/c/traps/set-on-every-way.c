//! safe
//! inputs: 0..2 functions 0 nesting 1
/* A local is set on every way to its use. */
int m(int c)
{
    int x;
    switch (c) {
    case 0: x = 1; break;
    case 1: x = 2;
    /* fall through */
    default: x = 3;
    }
    return x;
}
