#ifndef AGON_SIGNAL_H
#define AGON_SIGNAL_H
typedef int sig_atomic_t;
#define SIGABRT 6
#define SIGINT 2
#define SIGSEGV 11
#define SIGTERM 15
void (*signal(int number, void (*handler)(int)))(int);
int raise(int number);
#endif
