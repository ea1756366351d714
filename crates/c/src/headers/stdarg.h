#ifndef AGON_STDARG_H
#define AGON_STDARG_H
typedef __builtin_va_list va_list;
#endif
