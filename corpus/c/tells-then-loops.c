//! safe
//! twin: modules/tells-then-loops.ia
//! skip references: a loop without an end is cut off
/* What is told before a loop without an end is in no complete play. */
extern void tell(int n);
void run(void)
{
    tell(1);
    for (;;) {}
}
