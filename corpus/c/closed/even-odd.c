//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..5 functions 0 nesting 1
/* Two functions that call each other decide whether a number is even. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n <= 40);
#ifdef FIXED
    if (even(n) != (n % 2 == 0)) reach_error();
#else
    if (even(n) != (n % 2 == 0 && n != 4)) reach_error();
#endif
    return 0;
}
