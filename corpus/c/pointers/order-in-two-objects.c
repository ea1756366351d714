//! unsafe: any
//! inputs: 0..0 functions 0 nesting 1
/* Pointers into two objects have no order. */
static int a[2], b[2];
int run(void)
{
    int *p = a, *q = b;
    return p < q;
}
