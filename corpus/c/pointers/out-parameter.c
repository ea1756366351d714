//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: what was never set holds something
//! inputs: -1..1 functions 0 nesting 1
/* The result is not set where the function fails, and it is used all the same. */
static int parse(int c, int *value)
{
    if (c < 0)
        return -1;
    *value = c;
    return 0;
}
static int last;
void run(int c)
{
    int v;
#ifdef FIXED
    if (parse(c, &v) == 0)
        last = v;
#else
    parse(c, &v);
    last = v;
#endif
}
