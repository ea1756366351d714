//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: what is undefined may do anything
/* A thread whose end was waited for is not there any more. */
#include <pthread.h>
static void *work(void *unused) { return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, work, 0);
#ifdef FIXED
    pthread_join(b, 0);
#else
    pthread_join(a, 0);
#endif
    return 0;
}
