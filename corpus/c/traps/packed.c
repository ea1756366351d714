//! unsafe: m() · fail
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Attributes change how structures lie in memory. */
#include <assert.h>
#include <stddef.h>
struct plain { char c; int i; };
struct tight { char c; int i; } __attribute__((packed));
typedef struct { char c; } __attribute__((aligned(16))) wide;
typedef int eight __attribute__((mode(DI)));
void m(void)
{
    assert(sizeof(struct plain) == 8 && offsetof(struct plain, i) == 4);
    assert(sizeof(wide) == 16 && _Alignof(wide) == 16 && sizeof(eight) == 8);
#ifdef FIXED
    assert(sizeof(struct tight) == 5 && offsetof(struct tight, i) == 1);
#else
    assert(sizeof(struct tight) == 8);
#endif
}
