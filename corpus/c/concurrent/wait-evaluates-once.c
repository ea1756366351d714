//! safe
//! skip gcc: the schedule is not forced
/* A wait for a condition evaluates its arguments once, though the mutex is unlocked and locked. */
#include <assert.h>
#include <pthread.h>
struct queue { pthread_mutex_t mutex; pthread_cond_t condition; };
static struct queue queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
static int calls, go;
static struct queue *which(void) { calls++; return &queue; }
static void *other(void *argument)
{
    pthread_mutex_lock(&queue.mutex);
    go = 1;
    pthread_cond_signal(&queue.condition);
    pthread_mutex_unlock(&queue.mutex);
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&queue.mutex);
    while (!go) {
        calls = 0;
        pthread_cond_wait(&queue.condition, &which()->mutex);
        assert(calls == 1);
    }
    pthread_mutex_unlock(&queue.mutex);
    pthread_join(thread, 0);
    return 0;
}
