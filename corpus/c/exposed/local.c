//! refused: E0610
//! with --exposed volatile: unsafe: any
//! with -DFIXED --exposed volatile: safe-up-to: 3 variables `n` of `ask` at once
//! inputs: 0..1 functions 0 nesting 1
//! skip gcc: nobody can say when the object changes
//! skip references: there are more pointers than can be tried one by one
/* A local variable is filled by the environment, which may give any number. */
#include <assert.h>
extern int parse(int *result);
static int table[4];
int ask(void)
{
    int n = 0;
    int copy;
    if (parse(&n) != 0)
        return -1;
    copy = n;
#ifdef FIXED
    if (copy < 0 || copy >= 4)
        return -1;
#endif
    return table[copy];
}
