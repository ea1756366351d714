//! safe
//! equivalent: sum-anew.c
//! inputs: -1..1 functions 0 nesting 1
/* The sum is kept while its parts change. */
static int part[4], sum;
void set(int i, int v) {
  if (i >= 0 && i < 4 && v >= 0 && v < 1000) {
    sum = sum - part[i] + v;
    part[i] = v;
  }
}
int total(void) { return sum; }
