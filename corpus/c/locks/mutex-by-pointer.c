//! safe
//! with -DCALL: unsafe: put(0) · note() · put(0) · fail
//! with -DNULL_MUTEX: unsafe: any
//! with --threads-of-environment 2: safe
//! with -DOTHER --threads-of-environment 2: unsafe: any
//! inputs: 0..1 functions 0 nesting 2
/* Mutexes behind pointers: in parameters of helpers, in variables and in structures. */
#include <assert.h>
#include <pthread.h>
struct account { pthread_mutex_t *mutex; int amount; };
extern void note(void);
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
#ifdef NULL_MUTEX
static struct account first = { 0, 0 };
#else
static struct account first = { &one, 0 };
#endif
static struct account second = { &two, 0 };

static void enter(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }
static void leave(pthread_mutex_t *mutex) { pthread_mutex_unlock(mutex); }

void put(int which)
{
    struct account *account = which ? &first : &second;
    pthread_mutex_t *mutex = account->mutex;
#ifdef OTHER
    mutex = which ? &two : &one;
    account = &first;
#endif
    enter(mutex);
    int before = account->amount;
    account->amount = 1;
#ifdef CALL
    note();
#endif
    assert(account->amount == 1);
    account->amount = before;
    leave(account->mutex == mutex ? account->mutex : mutex);
}
