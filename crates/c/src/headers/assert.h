#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) __agon_assert(!!(e))
#endif
#ifndef AGON_ASSERT_H
#define AGON_ASSERT_H
#define static_assert _Static_assert
void __agon_assert(int holds);
#endif
