//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* An assumption says nothing about what was done before it. */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
#ifdef FIXED
    __VERIFIER_assume(n > 2);
#endif
    if (n < 2) reach_error();
    __VERIFIER_assume(n > 2);
    return 0;
}
