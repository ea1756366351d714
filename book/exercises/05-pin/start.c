//! safe
//! unsafe lamp(): any

/* A panel shows one of four colours. The pin is read by somebody else. */
extern int read_pin(void);
extern void lamp(int colour);
static const int colours[4] = { 10, 20, 30, 40 };

void show(void)
{
    int pin = read_pin();
    if (pin <= 3)
        lamp(colours[pin]);
}
