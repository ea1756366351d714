#ifndef AGON_STRINGS_H
#define AGON_STRINGS_H
#include <stddef.h>
void bzero(void *to, size_t size);
void explicit_bzero(void *to, size_t size);
int bcmp(const void *a, const void *b, size_t size);
#endif
