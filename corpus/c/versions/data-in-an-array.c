//! safe
//! inputs: -1..1 functions 0 nesting 1
/* An element is written. */
int table[3];
void m(unsigned char i, int v) { if (i < 3) table[i] = v; }
