//! safe
//! with --check overflow: unsafe: any
//! with --check overflow -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
//! with --check overflow inputs: -2147483648..-2147483647 functions 0 nesting 1
/* The least number has no magnitude of its type. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int n = __VERIFIER_nondet_int();
#ifdef FIXED
    __VERIFIER_assume(n != -2147483647 - 1);
#endif
    int magnitude = n < 0 ? -n : n;
    return magnitude != 0;
}
