//! safe
//! equivalent: data-overwritten.c
//! inputs: -1..1 functions 0 nesting 1
/* Asking first makes no difference. */
int count;
void m(void) { if (count != 7) count = 7; }
