//! safe
//! equivalent: data-in-an-array.c
//! inputs: -1..1 functions 0 nesting 1
/* Between two moves nobody looks. */
int table[3];
void m(unsigned char i, int v) { if (i > 2) return; table[i] = 0; table[i] = v; }
