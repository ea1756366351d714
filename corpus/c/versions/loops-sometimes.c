//! safe
//! inputs: 0..1 functions 0 nesting 1
//! skip references: a loop without an end is cut off
/* It returns for one level. */
extern void log_line(int);
static int level;
void set(int k) { level = k; }
void stop(void) {
  log_line(level);
  while (level != 70000);
}
