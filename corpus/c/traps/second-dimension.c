//! unsafe: put(0, 3) · fail
//! moves: 1
//! inputs: 0..3 functions 0 nesting 1
/* Each index is checked, not the place in memory. */
static int a[2][3];
void put(unsigned i, unsigned j) { if (i < 2 && j < 4) a[i][j] = 1; }
