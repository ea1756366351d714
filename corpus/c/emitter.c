//! unsafe: any
//! moves: 5
//! with -DFIXED: safe
//! inputs: 0..0 functions 1 nesting 2 activations 3
//! twin: modules/emitter.ia, with -DFIXED modules/emitter-fixed.ia
/* Listeners are called one after the other. A listener removes another one meanwhile. */
typedef void (*listener)(int);
static listener list[3];
static int count, busy;
void on(listener f) { if (f && count < 3) list[count++] = f; }
void off(listener f)
{
#ifdef FIXED
    if (busy) return;
#endif
    for (int i = 0; i < count; i++)
        if (list[i] == f) {
            list[i] = list[--count];
            list[count] = 0;
            return;
        }
}
void emit(int v)
{
    int n = count, was = busy;
    busy = 1;
    for (int i = 0; i < n; i++) list[i](v);
    busy = was;
}
