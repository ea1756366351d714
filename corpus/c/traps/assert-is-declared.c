//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: nobody defines the functions
//! inputs: 0..3 functions 0 nesting 1
/* Functions by which other tools state what must hold, or what is assumed, have that meaning though no header declares them. */
void assert(_Bool holds);
int limit(void);
void m(int n)
{
    __CPROVER_assume(n < 3);
    __ESBMC_assert(n <= 2, "it was assumed");
#ifdef FIXED
    assert(n != 3);
#else
    assert(n != 2);
#endif
}
