//! safe
//! inputs: -1..1 functions 0 nesting 1
/* A sum is made anew at every call, in a loop. */
static int part[4];
void set(int i, int v) {
  if (i >= 0 && i < 4 && v >= 0 && v < 1000) part[i] = v;
}
int total(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += part[i];
  return sum;
}
