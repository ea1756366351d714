//! safe
//! with --threads-of-environment 2: safe

/* Numbers are handed out, each once. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char next;
static unsigned char given[4];

void ticket(void)
{
    pthread_mutex_lock(&lock);
    if (next < 4) {
        given[next]++;
        assert(given[next] == 1);
        next++;
    }
    pthread_mutex_unlock(&lock);
}
