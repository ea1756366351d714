//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Copying a struct does not read its members. */
struct s { int a, b; };
int m(void)
{
    struct s x, y;
    x.a = 1;
    y = x;
    return y.a;
}
