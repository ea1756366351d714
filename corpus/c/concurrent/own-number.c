//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A program that begins no thread has one, which is equal to itself. */
#include <assert.h>
#include <pthread.h>
int main(void)
{
    pthread_t own = pthread_self();
#ifdef FIXED
    assert(pthread_equal(own, pthread_self()));
#else
    assert(!pthread_equal(own, pthread_self()));
#endif
    return 0;
}
