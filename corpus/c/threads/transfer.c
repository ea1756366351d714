//! safe
//! with --threads-of-environment 2: safe
//! with -DCROSSED: safe
//! with -DCROSSED --threads-of-environment 2: unsafe: any
//! inputs: -1..2 functions 0 nesting 1
//! twin: threads/transfer.ia, with -DCROSSED threads/transfer-crossed.ia
/* Two accounts, each under a lock of its own. Both directions take the locks in one order; CROSSED does not, and each waits for the other. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int left = 4, right = 4;
void there(int n)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    if (n > 0 && n <= 2 && left >= 2 && right <= 6) {
        left -= n;
        right += n;
    }
    assert(left >= 0 && right <= 8);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}
void back(int n)
{
#ifdef CROSSED
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
#else
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
#endif
    if (n > 0 && n <= 2 && right >= 2 && left <= 6) {
        right -= n;
        left += n;
    }
    assert(right >= 0 && left <= 8);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}
