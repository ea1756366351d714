//! safe
//! with -DWRONG: unsafe: use() · fail
//! inputs: 0..1 functions 0 nesting 2
/* A pointer leads to one of two structures with mutexes. The other one is not touched. */
#include <assert.h>
#include <pthread.h>
struct lane { pthread_mutex_t lock; int n; };
static struct lane left, right;
static struct lane *now = &left;
void turn(int n) { now = n ? &right : &left; }
int use(void)
{
    struct lane *own = now, *other = own == &left ? &right : &left;
    pthread_mutex_lock(&own->lock);
    assert(pthread_mutex_trylock(&other->lock) == 0);
    pthread_mutex_unlock(&other->lock);
    own->n = 1 - own->n;
    int given = own->n;
#ifdef WRONG
    pthread_mutex_lock(&left.lock);
    pthread_mutex_unlock(&left.lock);
#endif
    pthread_mutex_unlock(&own->lock);
    return given;
}
