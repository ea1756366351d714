//! safe
//! equivalent: gives-a-structure.c
//! inputs: -1..1 functions 0 nesting 1
/* It is put together in another order. */
struct pair { int first; unsigned char rest[2]; };
static struct pair made(unsigned char a, int v) { struct pair p; p.rest[1] = a; p.rest[0] = 1; p.first = v; return p; }
struct pair m(int v) { return made(2, v); }
