//! safe
//! with --threads-of-environment 2: safe
//! with -DWRONG: safe
//! with -DWRONG --threads-of-environment 2: unsafe: any
//! inputs: -1..3 functions 0 nesting 1
//! twin: threads/counter-bounded.ia, with -DWRONG threads/counter-bounded-wrong.ia
/* A counter under a lock, to which any number is added, stays within its bounds. WRONG looks at the bound before it takes the lock. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total = 7;
int add(int n)
{
    int fits = 0;
#ifdef WRONG
    if (n < 0 || n > 2 || total > 8) return 0;
    pthread_mutex_lock(&m);
    total += n;
    fits = 1;
#else
    pthread_mutex_lock(&m);
    if (n >= 0 && n <= 2 && total <= 8) {
        total += n;
        fits = 1;
    }
#endif
    assert(0 <= total && total <= 10);
    pthread_mutex_unlock(&m);
    return fits;
}
