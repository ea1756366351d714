//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A comparison of a signed with an unsigned number is one of unsigned numbers. */
extern void reach_error(void);
int main(void)
{
    int minus = -1;
    unsigned one = 1;
#ifdef FIXED
    if (minus < one) reach_error();
#else
    if (minus > one) reach_error();
#endif
    return 0;
}
