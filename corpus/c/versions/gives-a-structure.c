//! safe
//! inputs: -1..1 functions 0 nesting 1
/* The caller sees all of a structure. */
struct pair { int first; unsigned char rest[2]; };
struct pair m(int v) { struct pair p = { v, { 1, 2 } }; return p; }
