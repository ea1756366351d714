//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A union with a tag. The wrong version forgets to say which member it has written. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
struct value { int kind; union { int number; char letter; } as; };
static int read_value(const struct value *v) { return v->kind ? v->as.letter : v->as.number; }
int main(void)
{
    struct value v;
    if (__VERIFIER_nondet_uchar() % 2) {
        v.kind = 1;
        v.as.letter = 'x';
        assert(read_value(&v) == 'x');
    } else {
        v.kind = 0;
        v.as.number = 1000;
#ifdef FIXED
        assert(read_value(&v) == 1000);
#else
        assert(read_value(&v) == 'x');
#endif
    }
    return 0;
}
