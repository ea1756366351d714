//! with --check overflow: unsafe: any
//! with --check overflow -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A counter in a loop without an end overflows. */
extern _Bool __VERIFIER_nondet_bool(void);
int main(void)
{
    short rounds = 0;
    int total = 0;
    while (__VERIFIER_nondet_bool()) {
#ifdef FIXED
        if (total < 1000000000)
#endif
        total += 100000000;
        rounds = 0;
    }
    return rounds != 0;
}
