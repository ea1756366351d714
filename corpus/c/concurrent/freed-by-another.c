//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread frees what another one still reads. */
#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *reader(void *unused) { return *shared ? shared : 0; }
int main(void)
{
    pthread_t t;
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_create(&t, 0, reader, 0);
#ifdef FIXED
    pthread_join(t, 0);
    free(shared);
#else
    free(shared);
    pthread_join(t, 0);
#endif
    return 0;
}
