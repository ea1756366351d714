#ifndef AGON_FLOAT_H
#define AGON_FLOAT_H
#define FLT_RADIX 2
#endif
