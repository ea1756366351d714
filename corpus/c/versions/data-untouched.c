//! safe
//! inputs: -1..1 functions 0 nesting 1
/* It never looks at the data that everybody sees. */
int count;
void m(void) { }
