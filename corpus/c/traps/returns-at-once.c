//! safe
//! twin: modules/returns-at-once.ia
//! inputs: 0..0 functions 0 nesting 1
/* Who returns does not run for ever. */
void run(void) {}
