//! safe
//! twin: modules/tells-one.ia
//! inputs: 0..0 functions 0 nesting 1
/* What an import is called with belongs to the move. */
extern void tell(int);
void run(void) { tell(1); }
