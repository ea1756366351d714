#ifndef AGON_STDIO_H
#define AGON_STDIO_H
#include <stddef.h>
typedef struct agon_file FILE;
#define EOF (-1)
#define BUFSIZ 8192
FILE *__agon_stream(int number);
#define stdin __agon_stream(1)
#define stdout __agon_stream(2)
#define stderr __agon_stream(3)
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int sprintf(char *text, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int scanf(const char *format, ...);
int puts(const char *text);
int putchar(int c);
int fputs(const char *text, FILE *stream);
int fputc(int c, FILE *stream);
int putc(int c, FILE *stream);
int getchar(void);
int fgetc(FILE *stream);
int getc(FILE *stream);
char *fgets(char *text, int size, FILE *stream);
int fflush(FILE *stream);
void perror(const char *text);
#endif
