//! unsafe: any
//! with -DFIXED: safe
//! inputs: 4..6 functions 0 nesting 1
/* An index is checked before it is used, also in a loop that goes one too far. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
static int a[5];
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
#ifdef FIXED
    __VERIFIER_assume(n <= 5);
#else
    __VERIFIER_assume(n <= 6);
#endif
    for (unsigned i = 0; i < n; i++) a[i] = 1;
    return 0;
}
