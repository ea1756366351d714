//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
//! skip references: the counters have no end
/* Two counters that change together stay equal, for any number of rounds. */
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);
int main(void)
{
    unsigned x = 0, y = 0;
    while (__VERIFIER_nondet_bool()) {
        x++;
        y++;
#ifndef FIXED
        if (x == 3) y--;
#endif
    }
    if (x != y) reach_error();
    return 0;
}
