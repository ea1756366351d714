//! safe
//! with -DAGAIN: unsafe: get() · tell(1) · get() · fail
//! with --threads-of-environment 2: safe
//! with -DAGAIN --threads-of-environment 2: unsafe: any
//! with -DOUTSIDE --threads-of-environment 2: unsafe: any
//! inputs: 0..1 functions 0 nesting 2
/* What is done once is done before others go on. A call from inside waits for itself. */
#include <assert.h>
#include <pthread.h>
extern void tell(int n);
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ready;
static void prepare(void)
{
    assert(ready == 0);
    ready++;
#ifdef AGAIN
    tell(ready);
#endif
    ready += 5;
}
int get(void)
{
#ifdef OUTSIDE
    assert(ready == 0 || ready == 6);
#endif
    assert(pthread_once(&once, prepare) == 0);
    assert(ready == 6);
    return ready;
}
