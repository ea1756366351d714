//! refused: E0604
//! inputs: 0..0 functions 0 nesting 1
/* A union is not passed as a whole. */
union both { int a; char b; };
int first(union both u) { return u.a; }
