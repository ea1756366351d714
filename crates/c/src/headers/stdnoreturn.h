#ifndef AGON_STDNORETURN_H
#define AGON_STDNORETURN_H
#define noreturn _Noreturn
#endif
