//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A function gives the address of its own variable. */
static int *cell(int v)
{
#ifdef FIXED
    static int x;
    x = v;
#else
    int x = v;
#endif
    int *p = &x;
    return p;
}
int m(int v)
{
    int *p = cell(v);
    return *p;
}
