//! safe
//! with --threads-of-environment 2: safe
//! with -DWRONG: safe
//! with -DWRONG --threads-of-environment 2: unsafe: any
//! inputs: -1..1 functions 0 nesting 1
//! twin: threads/init-with-input.ia, with -DWRONG threads/init-with-input-wrong.ia
/* Double-checked initialisation with a number from outside: the value is written before the flag. WRONG sets the flag first. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Bool ready;
static int size;
void start(int n)
{
    if (ready) return;
    pthread_mutex_lock(&m);
    if (!ready && n > 0) {
#ifdef WRONG
        ready = 1;
        size = n;
#else
        size = n;
        ready = 1;
#endif
    }
    pthread_mutex_unlock(&m);
}
void use(void)
{
    if (ready) assert(size > 0);
}
