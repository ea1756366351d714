//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Two threads push onto a list of allocated nodes. Without the mutex a node can be lost. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *head;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *push(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->value = *(int *)arg;
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    n->next = head;
    head = n;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void)
{
    pthread_t t[2];
    int values[2] = { 1, 2 };
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, push, &values[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    int sum = 0;
    while (head) {
        struct node *n = head;
        sum += n->value;
        head = n->next;
        free(n);
    }
    assert(sum == 3);
    return 0;
}
