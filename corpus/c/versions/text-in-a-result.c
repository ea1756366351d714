//! safe
//! inequivalent: text-in-a-result-other.c
//! inputs: 0..1 functions 0 nesting 1
/* A structure that is given leads to a text. */
struct entry { const char *text; };
struct entry m(void)
{
    struct entry entry = { "a" };
    return entry;
}
