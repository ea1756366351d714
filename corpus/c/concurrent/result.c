//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* What a thread gives comes to who waits for its end. */
#include <assert.h>
#include <pthread.h>
static int cells[2] = { 3, 4 };
static void *pick(void *arg) { return *(int *)arg == 3 ? &cells[1] : &cells[0]; }
int main(void)
{
    pthread_t t;
    void *given;
    pthread_create(&t, 0, pick, &cells[0]);
    pthread_join(t, &given);
#ifdef FIXED
    assert(*(int *)given == 4);
#else
    assert(*(int *)given == 3);
#endif
    return 0;
}
