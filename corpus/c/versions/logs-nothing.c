//! safe
//! inputs: 0..1 functions 0 nesting 1
//! skip references: a loop without an end is cut off
/* Nothing is written. */
static int level;
void set(int k) { level = k; }
void stop(void) {
  for (;;);
}
