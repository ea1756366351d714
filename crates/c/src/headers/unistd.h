#ifndef AGON_UNISTD_H
#define AGON_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
_Noreturn void _exit(int status);
#endif
