#ifndef AGON_SCHED_H
#define AGON_SCHED_H
int sched_yield(void);
#endif
