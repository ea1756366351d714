//! safe

/* A connection reports how much it has sent. A user may disconnect at any time. */
#include <stdlib.h>
struct connection { int sent; };
extern void report(int sent);
static struct connection *current;

void connect(void)
{
    if (current == NULL) {
        current = malloc(sizeof *current);
        current->sent = 0;
    }
}

void disconnect(void)
{
    free(current);
    current = NULL;
}

void send(void)
{
    struct connection *c = current;
    if (c == NULL) return;
    report(c->sent);
    c->sent = 1;
}
