//! safe
//! inequivalent: guarded.c
//! inputs: -1..1 functions 0 nesting 1
/* The guard lets one more number through. */
extern void out(int);
static int level;
void put(int a) {
  if (a >= 0 && a <= 100) {
    level = a;
    out(level);
  } else
    out(-1);
}
int get(void) { return level; }
