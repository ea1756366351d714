//! safe-up-to: 3 allocated objects of type `struct queue` at once
//! with -DCALL: unsafe: any
//! with -DLEFT: unsafe: any
//! skip references: there are more pointers than can be tried one by one
/* An object in allocated memory has a mutex of its own, which is made before it is used. */
#include <pthread.h>
#include <stdlib.h>
struct queue { int count; pthread_mutex_t mutex; };
extern void note(struct queue *queue);
struct queue *make(void)
{
    struct queue *queue = malloc(sizeof *queue);
    if (!queue) return 0;
    pthread_mutex_init(&queue->mutex, 0);
    queue->count = 0;
    return queue;
}
void put(struct queue *queue)
{
    if (!queue) return;
    pthread_mutex_lock(&queue->mutex);
    queue->count++;
#ifdef CALL
    note(queue);
#endif
#ifdef LEFT
    if (queue->count > 1) return;
#endif
    pthread_mutex_unlock(&queue->mutex);
}
void drop(struct queue *queue)
{
    if (!queue) return;
    pthread_mutex_destroy(&queue->mutex);
    free(queue);
}
