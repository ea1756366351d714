#ifndef AGON_MEMORY_H
#define AGON_MEMORY_H
#include <string.h>
#endif
