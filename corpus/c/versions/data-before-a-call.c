//! safe
//! inputs: -1..1 functions 0 nesting 1
/* What the data holds while the environment is called can be seen. */
int phase;
extern void tell(void);
void m(void) { phase = 1; tell(); phase = 2; }
