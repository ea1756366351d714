//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Dekker's lock. The wrong version does not wait for its turn before it wants to enter again. */
#include <assert.h>
#include <pthread.h>
static int wants[2], turn, inside;
static void enter(int self)
{
    int other = 1 - self;
    wants[self] = 1;
    while (wants[other]) {
        if (turn != self) {
            wants[self] = 0;
            while (turn != self)
                ;
            wants[self] = 1;
        }
#ifndef FIXED
        break;
#endif
    }
    inside++;
    assert(inside == 1);
    inside--;
    turn = other;
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
