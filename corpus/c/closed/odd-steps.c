//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* An even number stays even in steps of 2, also where it wraps. */
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
int main(void)
{
    unsigned char x = 0;
    while (__VERIFIER_nondet_bool())
#ifdef FIXED
        x += 2;
#else
        x += 5;
#endif
#ifdef FIXED
    if (x % 2 != 0) reach_error();
#else
    if (x == 3) reach_error();
#endif
    return 0;
}
