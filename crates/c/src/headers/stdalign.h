#ifndef AGON_STDALIGN_H
#define AGON_STDALIGN_H
#define alignas _Alignas
#define alignof _Alignof
#endif
