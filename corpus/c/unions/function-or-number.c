//! unknown
//! with -DFIXED: safe
//! skip gcc: it fails where the number is called
//! inputs: 0..1 functions 1 nesting 1
/* A union of a number and a function: between the look at which one it is and the call, the environment makes it the other one. */
struct value { int kind; union { int number; void (*call)(int); } is; };
static struct value value;
extern int convert(int);
void set_number(int n) { value.kind = 1; value.is.number = n; }
void set_call(void (*call)(int)) { if (call) { value.kind = 2; value.is.call = call; } }
void run(void)
{
    if (value.kind != 2) return;
    convert(1);
#ifdef FIXED
    if (value.kind != 2) return;
#endif
    value.is.call(3);
}
