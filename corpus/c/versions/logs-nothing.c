//! safe
//! inputs: 0..1 functions 0 nesting 1
/* Nothing is written. */
static int level;
void set(int k) { level = k; }
void stop(void) {
  for (;;);
}
