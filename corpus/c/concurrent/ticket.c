//! unsafe: any
//! with -DFIXED: safe
//! skip references: there are too many configurations
//! skip gcc: the schedule is not forced
/* A ticket lock. The wrong version takes its ticket in two steps. */
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static unsigned char next, serving;
static int inside;
static void *work(void *unused)
{
#ifdef FIXED
    __VERIFIER_atomic_begin();
#endif
    unsigned char mine = next;
    next = mine + 1;
#ifdef FIXED
    __VERIFIER_atomic_end();
#endif
    while (serving != mine)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    serving++;
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
