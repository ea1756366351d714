//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
//! skip references: there are too many runs
/* 10 locks, each taken and freed under a condition of its own, round after round. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void)
{
    int take1 = __VERIFIER_nondet_int();
    int take2 = __VERIFIER_nondet_int();
    int take3 = __VERIFIER_nondet_int();
    int take4 = __VERIFIER_nondet_int();
    int take5 = __VERIFIER_nondet_int();
    int take6 = __VERIFIER_nondet_int();
    int take7 = __VERIFIER_nondet_int();
    int take8 = __VERIFIER_nondet_int();
    int take9 = __VERIFIER_nondet_int();
    int take10 = __VERIFIER_nondet_int();
    while (1) {
        if (__VERIFIER_nondet_int() == 0) break;
        int lock1 = 0;
        int lock2 = 0;
        int lock3 = 0;
        int lock4 = 0;
        int lock5 = 0;
        int lock6 = 0;
        int lock7 = 0;
        int lock8 = 0;
        int lock9 = 0;
        int lock10 = 0;
        if (take1 != 0) lock1 = 1;
        if (take2 != 0) lock2 = 1;
        if (take3 != 0) lock3 = 1;
        if (take4 != 0) lock4 = 1;
        if (take5 != 0) lock5 = 1;
        if (take6 != 0) lock6 = 1;
        if (take7 != 0) lock7 = 1;
        if (take8 != 0) lock8 = 1;
        if (take9 != 0) lock9 = 1;
        if (take10 != 0) lock10 = 1;
        if (take1 != 0 && lock1 != 1) reach_error();
        lock1 = 0;
        if (take2 != 0 && lock2 != 1) reach_error();
        lock2 = 0;
        if (take3 != 0 && lock3 != 1) reach_error();
        lock3 = 0;
        if (take4 != 0 && lock4 != 1) reach_error();
        lock4 = 0;
        if (take5 != 0 && lock5 != 1) reach_error();
        lock5 = 0;
        if (take6 != 0 && lock6 != 1) reach_error();
        lock6 = 0;
        if (take7 != 0 && lock7 != 1) reach_error();
        lock7 = 0;
        if (take8 != 0 && lock8 != 1) reach_error();
        lock8 = 0;
        if (take9 != 0 && lock9 != 1) reach_error();
        lock9 = 0;
#ifdef FIXED
        if (take10 != 0 && lock10 != 1) reach_error();
#else
        if (take10 == 0 && lock10 != 1) reach_error();
#endif
        lock10 = 0;
    }
    return 0;
}
