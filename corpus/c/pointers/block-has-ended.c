//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The block of a local has ended. */
int m(int c)
{
    int *p, y = 2;
    {
        int x = 1;
        p = &x;
#ifdef FIXED
        y = *p;
        p = &y;
#endif
        if (c)
            goto out;
    }
out:
    return *p;
}
