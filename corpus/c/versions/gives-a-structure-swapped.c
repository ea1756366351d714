//! safe
//! inequivalent: gives-a-structure.c
//! inputs: -1..1 functions 0 nesting 1
/* Two elements are swapped. */
struct pair { int first; unsigned char rest[2]; };
struct pair m(int v) { struct pair p = { v, { 2, 1 } }; return p; }
