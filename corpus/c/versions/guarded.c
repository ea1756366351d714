//! safe
//! twin: modules/version-guarded.ia
//! inputs: -1..1 functions 0 nesting 1
/* A level is kept if it is within bounds. */
extern void out(int);
static int level;
void put(int a) {
  if (a >= 0 && a < 100) {
    level = a;
    out(level);
  } else
    out(-1);
}
int get(void) { return level; }
