//! safe
//! with -DTOLD: unsafe: any
//! inputs: 0..3 functions 0 nesting 1
/* A function that the environment can call, too, gives a handle to the module: the environment does not get it. */
#include <assert.h>
struct part { int size; };
static struct part parts[2];
static _Bool asked;
struct part *second(void);
static struct part *(*source)(void) = second;
struct part *second(void) { return asked ? &parts[1] : 0; }
void use(struct part *p)
{
    asked = 1;
    assert(source() == &parts[1]);
#ifndef TOLD
    asked = 0;
#endif
    assert(p != &parts[1]);
}
