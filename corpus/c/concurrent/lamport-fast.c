//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Lamport's fast mutual exclusion. The wrong version does not look whether `x` is still its own. */
#include <assert.h>
#include <pthread.h>
static int x, y, busy[3], inside;
static void enter(int self)
{
    for (;;) {
        busy[self] = 1;
        x = self;
        if (y != 0) {
            busy[self] = 0;
            while (y != 0)
                ;
            continue;
        }
        y = self;
#ifdef FIXED
        if (x != self) {
            busy[self] = 0;
            for (int i = 1; i <= 2; i++)
                while (busy[i])
                    ;
            if (y != self) {
                while (y != 0)
                    ;
                continue;
            }
        }
#endif
        break;
    }
    inside++;
    assert(inside == 1);
    inside--;
    y = 0;
    busy[self] = 0;
}
static void *left(void *unused) { enter(1); return 0; }
static void *right(void *unused) { enter(2); return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
