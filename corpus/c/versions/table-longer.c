//! safe
//! equivalent: table.c
//! inputs: 0..8 functions 0 nesting 1
/* The table is longer than its guard needs. */
static int t[16];
void put(int i, int v) {
  if (i >= 0 && i < 8) t[i] = v;
}
int get(int i) { return i >= 0 && i < 8 ? t[i] : -1; }
