//! safe
//! with -DWRONG: unsafe: any
//! with -DLARGER: unsafe: tick(0, 4) · fail
//! inputs: 0..5 functions 0 nesting 1
/* Macros with blocks in expressions, as in the Linux kernel: each argument is evaluated once. */
#include <assert.h>
#include <stddef.h>
#define container_of(pointer, type, member) ({ \
    const __typeof__(((type *)0)->member) *inner = (pointer); \
    (type *)((char *)inner - offsetof(type, member)); })
#define max(a, b) ({ __typeof__(a) first = (a); __typeof__(b) second = (b); first > second ? first : second; })
struct timer { int due; void (*fire)(struct timer *timer); };
struct device { int number; struct timer timer; int fired; };
static int calls;
static void on(struct timer *timer)
{
    struct device *device = container_of(timer, struct device, timer);
    device->fired = max(device->fired, 1);
#ifdef WRONG
    assert(device->number == 1);
#endif
    assert(device->number == 1 || device->number == 2);
}
static struct device one = { 1, { 0, on }, 0 }, two = { 2, { 0, on }, 0 };
static struct timer *timers[2] = { &one.timer, &two.timer };
static int next(void) { return ++calls; }
void tick(unsigned n, int least)
{
    if (n > 1) return;
    timers[n]->fire(timers[n]);
    calls = 0;
    int larger = max(next(), least);
    assert(calls == 1);
    (void)({ int twice = larger; twice += larger; assert(larger > 1000 || twice >= 2); });
#ifdef LARGER
    assert(larger < 4);
#endif
}
