//! safe
//! with --threads-of-environment 2: unsafe: any
//! with -DFIXED: safe
//! with -DFIXED --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
/* A recursive mutex is free again only after it was given back as often as it was taken. Here it is given back once too often before the
   second part, so another thread may come in between. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned char first, second;
void set(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    first = !first;
    pthread_mutex_unlock(&m);
#ifdef FIXED
    second = first;
    pthread_mutex_unlock(&m);
#else
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    second = first;
    pthread_mutex_unlock(&m);
#endif
}
void look(void)
{
    pthread_mutex_lock(&m);
    assert(first == second);
    pthread_mutex_unlock(&m);
}
