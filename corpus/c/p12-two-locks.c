//! safe
//! with --threads-of-environment 2: unsafe: any
//! with -DFIXED: safe
//! with -DFIXED --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/p12-two-locks.ia threads/two-locks.ia, with -DFIXED modules/p12-two-locks-fixed.ia threads/two-locks-fixed.ia
/* Two accounts, a lock each. Property: no deadlock, two threads. */
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
void there(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); x = 1; y = 0; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }
#ifdef FIXED
void back(void) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); x = 0; y = 1; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }
#else
void back(void) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); x = 0; y = 1; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); }
#endif
