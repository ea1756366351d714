//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Lamport's bakery for two threads. The wrong version does not say that it is choosing a number. */
#include <assert.h>
#include <pthread.h>
static int choosing[2], number[2], inside;
static void enter(int self)
{
    int other = 1 - self;
#ifdef FIXED
    choosing[self] = 1;
#endif
    number[self] = number[other] + 1;
#ifdef FIXED
    choosing[self] = 0;
#endif
    while (choosing[other])
        ;
    while (number[other] && (number[other] < number[self] || (number[other] == number[self] && other < self)))
        ;
    inside++;
    assert(inside == 1);
    inside--;
    number[self] = 0;
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
