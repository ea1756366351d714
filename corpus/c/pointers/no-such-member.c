//! unknown
//! inputs: 0..2 functions 0 nesting 1
/* A pointer to the second element is no pointer to the structure: what it would read is not part of the model. */
struct s { int a[2]; int b; };
static struct s s;
int m(int v)
{
    int *p = &s.a[v & 1];
    struct s *q = (struct s *)p;
    return q->b;
}
