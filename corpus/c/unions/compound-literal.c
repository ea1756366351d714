//! safe-up-to: structures all of whose members are set where they are copied
//! inputs: 0..0 functions 0 nesting 1
/* A union without a name is copied: its second member was not set. */
union both { int a; char b; };
int main(void)
{
    union both u;
    u = (union both){ .a = 5 };
    return u.b == 6;
}
