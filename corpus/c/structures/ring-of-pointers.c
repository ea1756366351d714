//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A ring buffer of pointers. The wrong version gives a place out again that is still used. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
#define SIZE 2
struct job { int number; };
static struct job jobs[SIZE], *queue[SIZE];
static unsigned in, out;
static void put(int number)
{
#ifdef FIXED
    if (in - out >= SIZE) return;
#else
    if (in - out > SIZE) return;
#endif
    struct job *job = &jobs[in % SIZE];
    job->number = number;
    queue[in++ % SIZE] = job;
}
int main(void)
{
    for (int i = 0; i < 3; i++)
        if (any(1)) put((int)in);
    while (out != in) {
        assert(queue[out % SIZE]->number == (int)out);
        out++;
    }
    return 0;
}
