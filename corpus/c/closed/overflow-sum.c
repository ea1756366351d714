//! safe
//! with --check overflow: unsafe: any
//! with --check overflow -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
//! with --check overflow inputs: 2147483646..2147483647 functions 0 nesting 1
/* The sum of two numbers may not fit; that is a failure only where overflow is checked. */
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
#ifdef FIXED
    if (b > 0 ? a > 2147483647 - b : a < -2147483647 - 1 - b) return 0;
#endif
    int sum = a + b;
    return sum != 0;
}
