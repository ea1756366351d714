//! unsafe: b() · fail
//! moves: 1
//! with --threads-of-environment 2: unsafe: any
//! skip gcc: its library lets a stranger unlock
//! inputs: 0..0 functions 0 nesting 2
/* A mutex is unlocked that nobody has locked. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void a(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
void b(void) { pthread_mutex_unlock(&m); }
