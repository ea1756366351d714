//! unsafe: any
//! moves: 1
//! skip gcc: it computes the remainder of a division by -1 without dividing
//! inputs: -9223372036854775808..-9223372036854775808 functions 0 nesting 1
/* The remainder of the least number by -1 has no value either. */
int m(long a) { return a % -1; }
