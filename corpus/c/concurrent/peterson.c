//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Peterson's lock. The wrong version says that it wants to enter after it has looked. */
#include <assert.h>
#include <pthread.h>
static int wants[2], turn, inside;
static void enter(int self)
{
#ifdef FIXED
    wants[self] = 1;
    turn = 1 - self;
    while (wants[1 - self] && turn == 1 - self)
        ;
#else
    turn = 1 - self;
    while (wants[1 - self] && turn == 1 - self)
        ;
    wants[self] = 1;
#endif
    inside++;
    assert(inside == 1);
    inside--;
    wants[self] = 0;
}
static void *left(void *unused) { enter(0); return 0; }
static void *right(void *unused) { enter(1); return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
