#ifndef AGON_UNISTD_H
#define AGON_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
_Noreturn void _exit(int status);
unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);
#endif
