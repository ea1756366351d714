//! unsafe: m(-1) · fail
//! moves: 1
//! with -DUNSIGNED: safe
//! inputs: -1..1 functions 0 nesting 2
/* An index of type `char` may be negative. */
#ifdef UNSIGNED
typedef unsigned char byte;
#else
typedef char byte;
#endif
static int seen[256];
void m(byte c) { seen[c] = 1; }
