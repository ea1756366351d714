//! with -DBUG1 -DRX_WATCHES=1 -DRX_TIMERS=1 -DRX_JOBS=1 --entry rx_watch,rx_unwatch,rx_run_once --leaf host_now,host_wait,host_ready_fd,host_ready_events,host_put: unsafe: any
//! with -DBUG2 -DRX_WATCHES=1 -DRX_TIMERS=1 -DRX_JOBS=1 --entry rx_timer,rx_timer_again,rx_run_once --leaf host_now,host_wait,host_ready_fd,host_ready_events,host_put --returns host_now=0..0 --returns host_wait=0..0: unsafe: any
//! with -DBUG3 --entry rx_post,rx_flush --leaf host_now,host_wait,host_ready_fd,host_ready_events,host_put: unsafe: any
//! skip references: there are too many stores to be tried one by one
/* The event loop of reactor.c with small tables, used by environments that call a few of its functions only. */
#include "reactor.c"
