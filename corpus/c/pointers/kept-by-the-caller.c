//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The address of a local is left in a variable of the caller. */
static void aim(int **out)
{
#ifdef FIXED
    static
#endif
    int x = 1;
    *out = &x;
}
int m(void)
{
    int *p;
    aim(&p);
    return *p;
}
