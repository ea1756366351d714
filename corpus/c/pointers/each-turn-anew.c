//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Every turn of a loop has a variable of its own. */
int m(void)
{
    int *p = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
#ifndef FIXED
        if (p)
            sum += *p;
#endif
        p = &x;
        sum += *p;
    }
    return sum;
}
