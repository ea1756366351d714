//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: what is undefined may do anything
/* Nobody waits for a detached thread. */
#include <pthread.h>
static void *work(void *unused) { return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_detach(t);
#ifndef FIXED
    pthread_join(t, 0);
#endif
    return 0;
}
