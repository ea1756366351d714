//! unsafe: any
//! inputs: 0..0 functions 0 nesting 1
/* The end of an array is no element of another one. */
static int a[2], b[2];
void m(void)
{
    int *p = a + 2;
    b[0] = 2;
    *p = 1;
}
