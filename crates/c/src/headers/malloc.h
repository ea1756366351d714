#ifndef AGON_MALLOC_H
#define AGON_MALLOC_H
#include <stdlib.h>
#endif
