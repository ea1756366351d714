//! unsafe: make() · fail
//! with -DFIXED: safe
//! with -DZEROS: safe
//! skip gcc: the sanitizers do not see that a mutex was not made
//! inputs: 0..0 functions 0 nesting 1
/* A mutex in allocated memory is used before it is made. Where memory is zero, so is the mutex, and that is one that is made. */
#include <pthread.h>
#include <stdlib.h>
struct queue { int count; pthread_mutex_t mutex; };
void make(void)
{
#ifdef ZEROS
    struct queue *queue = calloc(1, sizeof *queue);
#else
    struct queue *queue = malloc(sizeof *queue);
#endif
    if (!queue) return;
#ifdef FIXED
    pthread_mutex_init(&queue->mutex, 0);
#endif
    pthread_mutex_lock(&queue->mutex);
    queue->count = 0;
    pthread_mutex_unlock(&queue->mutex);
    free(queue);
}
