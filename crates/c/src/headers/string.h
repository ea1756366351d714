#ifndef AGON_STRING_H
#define AGON_STRING_H
#include <stddef.h>
void *memset(void *to, int byte, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
size_t strnlen(const char *text, size_t size);
void *memchr(const void *text, int c, size_t size);
char *strrchr(const char *text, int c);
char *strchr(const char *text, int c);
char *strdup(const char *text);
char *stpcpy(char *to, const char *from);
char *strstr(const char *text, const char *sought);
size_t strspn(const char *text, const char *set);
size_t strcspn(const char *text, const char *set);
char *strpbrk(const char *text, const char *set);
#include <strings.h>
#endif
