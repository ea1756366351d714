//! safe
//! equivalent: logs-nothing.c --complete
//! inequivalent: loops-sometimes.c --complete
//! inputs: 0..1 functions 0 nesting 1
//! skip references: a loop without an end is cut off
/* What is written before a loop without an end is in no complete play. */
extern void log_line(int);
static int level;
void set(int k) { level = k; }
void stop(void) {
  log_line(level);
  for (;;);
}
