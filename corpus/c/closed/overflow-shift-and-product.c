//! safe
//! with --check overflow: unsafe: any
//! with --check overflow -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
//! with --check overflow inputs: 46340..46341 functions 0 nesting 1
/* A square fits only up to 46340. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int n = __VERIFIER_nondet_int();
#ifdef FIXED
    __VERIFIER_assume(n >= -46340 && n <= 46340);
#else
    __VERIFIER_assume(n >= -46341 && n <= 46341);
#endif
    int square = n * n;
    return square != 0;
}
