#ifndef AGON_STDATOMIC_H
#define AGON_STDATOMIC_H
/* Atomic objects are refused where they are declared. */
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(unsigned long) atomic_size_t;
typedef _Atomic(_Bool) atomic_flag;
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT 0
#endif
