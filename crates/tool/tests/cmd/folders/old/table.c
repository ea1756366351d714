/* A table with a guard. */
static int t[8];
void put(int i, int v) {
  if (i >= 0 && i < 8) t[i] = v;
}
int get(int i) { return i >= 0 && i < 8 ? t[i] : -1; }
