//! refused: E0604
//! inputs: 0..0 functions 0 nesting 1
/* A union without a name: nobody knows which of its members was written. */
union both { int a; char b; };
int main(void)
{
    union both u;
    u = (union both){ .a = 5 };
    return u.b;
}
