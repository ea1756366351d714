//! safe
//! inputs: -1..1 functions 0 nesting 1
/* A constant that the environment defines holds one number for ever. */
extern const int step;
static int last;
extern void tell(int);
void m(void) { int same = step == last; last = step; tell(same); }
