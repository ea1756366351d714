//! safe
//! inequivalent: volatile-member-twice.c
//! skip gcc: an environment in C sees only what is left there
//! inputs: 0..1 functions 0 nesting 1
struct device { volatile int state; int data; };
struct device device;
void m(void) { device.state = 1; device.data = 1; }
