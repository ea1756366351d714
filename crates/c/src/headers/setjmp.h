#ifndef AGON_SETJMP_H
#define AGON_SETJMP_H
typedef long jmp_buf[8];
int setjmp(jmp_buf where);
_Noreturn void longjmp(jmp_buf where, int value);
#endif
