//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: what is given without a value is not defined
//! inputs: 0..1 functions 0 nesting 1
/* A function that ends without giving a value is wrong only where the value is used. */
extern int __VERIFIER_nondet_int(void);
static int sign(int n)
{
    if (n > 0) return 1;
    if (n < 0) return -1;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    sign(n);
#ifdef FIXED
    return n != 0 ? sign(n) != 0 : 0;
#else
    return sign(n) != 0;
#endif
}
