//! safe
//! inputs: -1..1 functions 0 nesting 1
/* Every access to a register is seen. */
volatile unsigned char port;
void m(void) { port = 1; port = 0; }
