//! safe
//! inputs: 0..3 functions 0 nesting 1
/* What counts is the width after promotion. */
int m(unsigned char c) { return c << 8 << 8 >> 31; }
