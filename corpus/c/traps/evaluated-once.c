//! safe
//! with -DTWICE: unsafe: any
//! with -DWHICH: unsafe: any
//! with -DREFUSED: unsafe: any
//! with -DMOVED: safe
//! inputs: 0..0 functions 0 nesting 1
/* The arguments of functions for mutexes are evaluated once, whatever the functions do with them. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
struct part { pthread_once_t once; pthread_mutex_t mutex; };
static struct part first = { PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER };
static struct part second = { PTHREAD_ONCE_INIT, PTHREAD_MUTEX_INITIALIZER };
static struct part *current = &first;
static pthread_mutexattr_t kind;
static int calls, runs;

static void run(void) { runs++; }
static void move(void) { current = &second; runs++; }
static void (*pick(void))(void)
{
    calls++;
#ifdef TWICE
    assert(calls < 2);
#endif
    return run;
}
static pthread_mutexattr_t *attributes(void) { calls++; return &kind; }

void once(void)
{
#ifdef MOVED
    assert(pthread_once(&current->once, move) == 0);
    assert(runs <= 2);
#else
    int before = calls;
    if (calls == 9) return;
    pthread_once(&first.once, pick());
    assert(calls == before + 1 && runs == 1);
#endif
}

void set(void)
{
    calls = 0;
    pthread_mutexattr_init(&kind);
    assert(pthread_mutexattr_settype(attributes(), 77) == EINVAL);
#ifdef REFUSED
    assert(calls == 0);
#else
    assert(calls == 1);
#endif
    calls = 0;
}

#ifdef WHICH
/* The second initialisation is of the normal kind again. */
static int made;
void make(void)
{
    if (made == 0) {
        pthread_mutexattr_init(&kind);
        pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&first.mutex, &kind);
    } else if (made == 1) {
        pthread_mutex_destroy(&first.mutex);
        pthread_mutex_init(&first.mutex, (void *)0);
    }
    made += made < 2;
}
void use(void)
{
    if (made != 2) return;
    pthread_mutex_lock(&first.mutex);
    pthread_mutex_lock(&first.mutex);
}
#endif
