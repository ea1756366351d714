//! unsafe: put(8, 0) · fail
//! moves: 1
//! inequivalent: table.c
//! twin: modules/version-table-wider.ia
//! inputs: 0..8 functions 0 nesting 1
/* The guard lets one more number through, and the table has no element for it. */
static int t[8];
void put(int i, int v) {
  if (i >= 0 && i <= 8) t[i] = v;
}
int get(int i) { return i >= 0 && i < 8 ? t[i] : -1; }
