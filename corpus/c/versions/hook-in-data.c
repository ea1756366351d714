//! safe
//! inputs: 0..1 functions 1 nesting 1
/* A private function that is stored in data can be called. */
extern void tell(int);
void (*hook)(void);
static void one(void) { tell(1); }
void arm(void) { hook = one; }
