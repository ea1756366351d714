//! safe
//! twin: modules/version-table.ia
//! inputs: 0..1 functions 0 nesting 1
/* A table with a guard. */
static int t[8];
void put(int i, int v) {
  if (i >= 0 && i < 8) t[i] = v;
}
int get(int i) { return i >= 0 && i < 8 ? t[i] : -1; }
