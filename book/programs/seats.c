/* Three seats are sold. No seat is sold twice. */
#include <assert.h>
#ifdef LOCKED
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&lock)
#define UNLOCK pthread_mutex_unlock(&lock)
#else
#define LOCK
#define UNLOCK
#endif
#define SEATS 3
static unsigned char sold[SEATS];

int sell(unsigned char seat)
{
    if (seat >= SEATS) return 0;
    LOCK;
    int is_free = sold[seat] == 0;
    if (is_free) {
        sold[seat]++;
        assert(sold[seat] == 1);
    }
    UNLOCK;
    return is_free;
}
