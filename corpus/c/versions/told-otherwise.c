//! safe
//! inputs: 0..1 functions 0 nesting 2
/* Another number is told. */
extern void tell(int);
static int x;
void run(int k) {
  x = k;
  tell(k ^ 1);
  x = 0;
}
int get(void) { return x; }
