//! safe
//! with --check race: unsafe: any
//! with -DFIXED --check race: safe
//! skip gcc: the schedule is not forced
/* What is used inside of atomic sections only is in no race; an access outside of them is. */
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int n;
static void *work(void *unused)
{
    __VERIFIER_atomic_begin();
    n++;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
#ifdef FIXED
    __VERIFIER_atomic_begin();
#endif
    n = 5;
#ifdef FIXED
    __VERIFIER_atomic_end();
#endif
    pthread_join(t, 0);
    return 0;
}
