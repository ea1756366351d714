//! safe
//! equivalent: table.c
//! twin: modules/version-table-longer.ia
//! inputs: 0..1 functions 0 nesting 1
/* The table is longer than its guard needs. */
static int t[16];
void put(int i, int v) {
  if (i >= 0 && i < 8) t[i] = v;
}
int get(int i) { return i >= 0 && i < 8 ? t[i] : -1; }
