//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* The callback may take what is to be freed. */
#include <stdlib.h>
extern void ready(void);
static int *message, *taken;
void take(void)
{
    if (!taken) {
        taken = message;
#ifdef FIXED
        message = 0;
#endif
    }
}
int look(void) { return taken ? *taken : 0; }
void send(int v)
{
    if (message)
        return;
    message = malloc(sizeof(int));
    *message = v & 1;
    ready();
    free(message);
    message = 0;
}
