//! safe
//! inputs: 0..1 functions 0 nesting 1
struct device { volatile int state; int data; };
struct device device;
void m(void) { device.state = 1; device.state = 1; device.data = 1; }
