//! safe
//! inputs: -1..1 functions 0 nesting 1
/* What data holds at first can be seen before any call. */
int limit = 3;
int m(void) { return limit; }
