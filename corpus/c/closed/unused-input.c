//! unsafe: any
//! moves: 3
//! inputs: 0..1 functions 0 nesting 1
/* A value that is not used is asked for as well. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    __VERIFIER_nondet_int();
    if (__VERIFIER_nondet_int() == 1) reach_error();
    return 0;
}
