//! unsafe: any
//! with --private-data m: safe
//! with --threads-of-environment 2: refused: E0612
//! with --threads-of-environment 2 --private-data m: safe
//! inputs: 0..1 functions 0 nesting 2
/* A client names a mutex with external linkage: it locks the mutex, then calls. */
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
void a(void)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
}
