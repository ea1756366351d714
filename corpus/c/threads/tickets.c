//! safe
//! with --threads-of-environment 2: safe
//! with -DWRONG: safe
//! with -DWRONG --threads-of-environment 2: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
//! twin: threads/tickets.ia, with -DWRONG threads/tickets-wrong.ia
/* Tickets: a number is taken under the lock, and only the thread whose number is served goes in. The first number is any.
   WRONG gives the lock back before the thread that went in has left. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Bool open;
static int next, serving;
static unsigned char inside;
void begin(int first)
{
    pthread_mutex_lock(&m);
    if (!open && first >= 0 && first < 4) {
        next = first;
        serving = first;
        open = 1;
    }
    pthread_mutex_unlock(&m);
}
void go(void)
{
    pthread_mutex_lock(&m);
    if (open && next == serving && next < 6) {
#ifdef WRONG
        inside++;
        pthread_mutex_unlock(&m);
        assert(inside == 1);
        pthread_mutex_lock(&m);
        inside--;
#else
        next++;
        inside++;
        assert(inside == 1);
        inside--;
        serving = next;
#endif
    }
    pthread_mutex_unlock(&m);
}
