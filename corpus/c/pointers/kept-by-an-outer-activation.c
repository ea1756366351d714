//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* An inner activation leaves the address of its own variable in one of the outer activation. */
static void f(int n, int **out)
{
    int x = n;
    int *p = &x;
    if (out)
        *out = &x;
    if (n) {
        f(n - 1, &p);
#ifndef FIXED
        *p = 1;
#endif
    }
}
void m(void) { f(1, 0); }
