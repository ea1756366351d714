//! safe
//! inequivalent: data-in-an-array.c
//! inputs: -1..1 functions 0 nesting 1
/* The element behind it is written, too. */
int table[3];
void m(unsigned char i, int v) { if (i > 2) return; table[i] = v; if (i == 1) table[2] = 0; }
