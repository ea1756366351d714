#ifndef AGON_PTHREAD_H
#define AGON_PTHREAD_H
#include <errno.h>
typedef struct { int kind; } pthread_mutex_t;
typedef struct { int kind; } pthread_mutexattr_t;
typedef unsigned long pthread_t;
typedef struct { int kind; } pthread_attr_t;
typedef struct { int kind; } pthread_cond_t;
typedef struct { int kind; } pthread_condattr_t;
typedef struct { int kind; } pthread_rwlock_t;
typedef struct { int kind; } pthread_rwlockattr_t;
typedef struct { pthread_mutex_t agon_running; int agon_done; } pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { 1 }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { 2 }
#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_INITIALIZER { 0 }
#define PTHREAD_ONCE_INIT { PTHREAD_MUTEX_INITIALIZER, 0 }
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_DEFAULT 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);
void pthread_exit(void *result) __attribute__((noreturn));
int pthread_equal(pthread_t first, pthread_t second);
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_yield(void);
int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *condition);
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int pthread_cond_signal(pthread_cond_t *condition);
int pthread_cond_broadcast(pthread_cond_t *condition);
int pthread_cancel(pthread_t thread);
int pthread_once(pthread_once_t *control, void (*routine)(void));
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const void *time);
#endif
