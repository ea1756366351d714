//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: an unlock without a lock is not noticed
//! inputs: 0..0 functions 0 nesting 1
/* A wait takes the mutex again that it has unlocked, also if the index has moved in between. */
#include <pthread.h>
static pthread_mutex_t mutexes[2];
static pthread_cond_t condition;
int main(void)
{
    int i = 0;
    pthread_mutex_lock(&mutexes[0]);
    pthread_cond_wait(&condition, &mutexes[i++]);
#ifdef FIXED
    pthread_mutex_unlock(&mutexes[0]);
#else
    pthread_mutex_unlock(&mutexes[1]);
#endif
    return 0;
}
