//! safe
//! inputs: 0..1 functions 0 nesting 1
struct entry { const char *text; };
struct entry m(void)
{
    struct entry entry = { "b" };
    return entry;
}
