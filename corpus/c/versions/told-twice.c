//! safe
//! inputs: 0..1 functions 0 nesting 2
/* Another number can be seen while it is told. */
extern void tell(int);
static int x;
void run(int k) {
  x = k + 1;
  tell(k);
  x = 0;
}
int get(void) { return x; }
