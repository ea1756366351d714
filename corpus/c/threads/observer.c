//! safe
//! with --threads-of-environment 2: safe
//! with -DWRONG: safe
//! with -DWRONG --threads-of-environment 2: unsafe: any
//! skip references: there are too many configurations
//! twin: threads/observer.ia, with -DWRONG threads/observer-wrong.ia
/* An observer of numbers above 1 is called outside of the lock: its name is read once, under the lock.
   WRONG reads it twice, and between the two another thread takes it away. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void (*observer)(int, int);
void observe(void (*f)(int, int))
{
    pthread_mutex_lock(&m);
    observer = f;
    pthread_mutex_unlock(&m);
}
void notify(int n)
{
#ifdef WRONG
    if (n / 2 > 0 && observer) observer(n, n / 2);
#else
    void (*f)(int, int) = 0;
    pthread_mutex_lock(&m);
    if (n / 2 > 0) f = observer;
    pthread_mutex_unlock(&m);
    if (f) f(n, n / 2);
#endif
}
