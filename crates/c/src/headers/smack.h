#ifndef AGON_SMACK_H
#define AGON_SMACK_H
#include <assert.h>
#include <stdbool.h>
#define assume(e) __VERIFIER_assume(!!(e))
void __VERIFIER_assume(int holds);
void __VERIFIER_error(void);
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_signed_char(void);
unsigned char __VERIFIER_nondet_uchar(void), __VERIFIER_nondet_unsigned_char(void);
short __VERIFIER_nondet_short(void), __VERIFIER_nondet_signed_short(void);
unsigned short __VERIFIER_nondet_ushort(void), __VERIFIER_nondet_unsigned_short(void);
int __VERIFIER_nondet_int(void), __VERIFIER_nondet_signed_int(void);
unsigned __VERIFIER_nondet_uint(void), __VERIFIER_nondet_unsigned(void), __VERIFIER_nondet_unsigned_int(void);
long __VERIFIER_nondet_long(void), __VERIFIER_nondet_signed_long(void);
unsigned long __VERIFIER_nondet_ulong(void), __VERIFIER_nondet_unsigned_long(void);
long long __VERIFIER_nondet_long_long(void), __VERIFIER_nondet_signed_long_long(void);
unsigned long long __VERIFIER_nondet_unsigned_long_long(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#endif
