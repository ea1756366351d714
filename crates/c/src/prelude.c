/* Functions of the C library, written in C. A call of one is a call of a copy that stands at the place of the call, so that what
   fails in it fails there. `struct element` stands for the type that the pointers of the call point to.
   `memcmp` of integers compares their bytes, the lowest one first. */
typedef __SIZE_TYPE__ size_t;
struct element { int part; };
void *memset(void *to, int byte, size_t size);
struct element *agon_allocate(size_t count);
void free(void *old);
size_t agon_length(struct element *old);
_Bool agon_before(struct element *a, struct element *b);
void agon_apart(const void *a, const void *b);
void *agon_copy(struct element *to, const struct element *from, size_t size);
int agon_number(void);
char agon_character(void);

size_t strlen(const char *text) { size_t n = 0; while (text[n]) n++; return n; }
size_t strnlen(const char *text, size_t size) { size_t n = 0; while (n < size && text[n]) n++; return n; }
int strcmp(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return (unsigned char)a[n] - (unsigned char)b[n];
}
int strncmp(const char *a, const char *b, size_t size)
{
    size_t n = 0;
    while (n < size && a[n] && a[n] == b[n]) n++;
    if (n == size) return 0;
    return (unsigned char)a[n] - (unsigned char)b[n];
}
char *strcpy(char *to, const char *from)
{
    size_t n = 0;
    agon_apart(to, from);
    while ((to[n] = from[n])) {
        n++;
        agon_apart(to + n, from);
        agon_apart(to, from + n);
    }
    return to;
}
char *stpcpy(char *to, const char *from)
{
    size_t n = 0;
    agon_apart(to, from);
    while ((to[n] = from[n])) {
        n++;
        agon_apart(to + n, from);
        agon_apart(to, from + n);
    }
    return to + n;
}
char *strncpy(char *to, const char *from, size_t size)
{
    size_t n = 0;
    while (n < size && from[n]) { to[n] = from[n]; n++; }
    while (n < size) to[n++] = 0;
    return to;
}
char *strcat(char *to, const char *from)
{
    size_t end = 0, n = 0;
    while (to[end]) end++;
    while ((to[end + n] = from[n])) n++;
    return to;
}
char *strncat(char *to, const char *from, size_t size)
{
    size_t end = 0, n = 0;
    while (to[end]) end++;
    while (n < size && from[n]) { to[end + n] = from[n]; n++; }
    to[end + n] = 0;
    return to;
}
char *strchr(const char *text, int c)
{
    size_t n = 0;
    while (text[n] && text[n] != (char)c) n++;
    if (text[n] == (char)c) return (char *)text + n;
    return 0;
}
char *strrchr(const char *text, int c)
{
    size_t n = 0;
    char *found = 0;
    do if (text[n] == (char)c) found = (char *)text + n; while (text[n++]);
    return found;
}
char *strstr(const char *text, const char *sought)
{
    for (size_t at = 0;; at++) {
        size_t n = 0;
        while (sought[n] && text[at + n] == sought[n]) n++;
        if (!sought[n]) return (char *)text + at;
        if (!text[at + n]) return 0;
    }
}
size_t strspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n]) {
        size_t at = 0;
        while (set[at] && set[at] != text[n]) at++;
        if (!set[at]) return n;
        n++;
    }
    return n;
}
size_t strcspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n]) {
        size_t at = 0;
        while (set[at] && set[at] != text[n]) at++;
        if (set[at]) return n;
        n++;
    }
    return n;
}
char *strpbrk(const char *text, const char *set)
{
    for (size_t n = 0; text[n]; n++)
        for (size_t at = 0; set[at]; at++)
            if (set[at] == text[n]) return (char *)text + n;
    return 0;
}
int atoi(const char *text)
{
    size_t n = 0;
    int sum = 0, minus = 0;
    while (text[n] == ' ' || (text[n] >= '\t' && text[n] <= '\r')) n++;
    if (text[n] == '-' || text[n] == '+') minus = text[n++] == '-';
    while (text[n] >= '0' && text[n] <= '9') sum = sum * 10 - (text[n++] - '0');
    return minus ? sum : -sum;
}
int memcmp(const char *a, const char *b, size_t size)
{
    int first = 0;
    for (size_t n = 0; n < size; n++) {
        int difference = (unsigned char)a[n] - (unsigned char)b[n];
        if (!first) first = difference;
    }
    return first;
}
int agon_compare_short(const unsigned short *a, const unsigned short *b, size_t count)
{
    int first = 0;
    for (size_t n = 0; n < count; n++) {
        unsigned short x = a[n], y = b[n];
        if (first || x == y) continue;
        while ((x & 255) == (y & 255)) { x >>= 8; y >>= 8; }
        first = (int)(x & 255) - (int)(y & 255);
    }
    return first;
}
int agon_compare_int(const unsigned *a, const unsigned *b, size_t count)
{
    int first = 0;
    for (size_t n = 0; n < count; n++) {
        unsigned x = a[n], y = b[n];
        if (first || x == y) continue;
        while ((x & 255) == (y & 255)) { x >>= 8; y >>= 8; }
        first = (int)(x & 255) - (int)(y & 255);
    }
    return first;
}
int agon_compare_long(const unsigned long *a, const unsigned long *b, size_t count)
{
    int first = 0;
    for (size_t n = 0; n < count; n++) {
        unsigned long x = a[n], y = b[n];
        if (first || x == y) continue;
        while ((x & 255) == (y & 255)) { x >>= 8; y >>= 8; }
        first = (int)(x & 255) - (int)(y & 255);
    }
    return first;
}
int agon_compare_longer(const unsigned long long *a, const unsigned long long *b, size_t count)
{
    int first = 0;
    for (size_t n = 0; n < count; n++) {
        unsigned long long x = a[n], y = b[n];
        if (first || x == y) continue;
        while ((x & 255) == (y & 255)) { x >>= 8; y >>= 8; }
        first = (int)(x & 255) - (int)(y & 255);
    }
    return first;
}
char *memchr(const char *text, int c, size_t size)
{
    for (size_t n = 0; n < size; n++)
        if (text[n] == (char)c) return (char *)text + n;
    return 0;
}
char *agon_set(char *to, int byte, size_t size)
{
    for (size_t n = 0; n < size; n++) to[n] = (char)byte;
    return to;
}
struct element *agon_fill(struct element *to, int byte, size_t count)
{
    for (size_t n = 0; n < count; n++) memset(&to[n], 0, sizeof to[n]);
    return to;
}
struct element *memcpy(struct element *to, const struct element *from, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        agon_copy(&to[n], &from[n], sizeof to[n]);
        if (n) { agon_apart(to + n, from); agon_apart(to, from + n); }
    }
    return to;
}
struct element *memmove(struct element *to, const struct element *from, size_t count)
{
    if (agon_before((struct element *)from, to))
        for (size_t n = count; n > 0; n--) agon_copy(&to[n - 1], &from[n - 1], sizeof to[n - 1]);
    else
        for (size_t n = 0; n < count; n++) agon_copy(&to[n], &from[n], sizeof to[n]);
    return to;
}
struct element *realloc(struct element *old, size_t count)
{
    struct element *new = agon_allocate(count);
    if (old && new) {
        size_t length = agon_length(old);
        for (size_t n = 0; n < length && n < count; n++) agon_copy(&new[n], &old[n], sizeof new[n]);
        free(old);
    }
    return new;
}
void qsort(struct element *base, size_t count, int (*compare)(const void *, const void *))
{
    for (size_t n = 1; n < count; n++)
        for (size_t at = n; at > 0 && compare(&base[at - 1], &base[at]) > 0; at--) {
            struct element kept = base[at];
            base[at] = base[at - 1];
            base[at - 1] = kept;
        }
}
struct element *bsearch(const void *key, struct element *base, size_t count,
                        int (*compare)(const void *, const void *))
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        int order = compare(key, &base[middle]);
        if (order == 0) return &base[middle];
        if (order < 0) count = middle; else low = middle + 1;
    }
    return 0;
}
char *strdup(const char *text)
{
    size_t n = 0;
    while (text[n]) n++;
    char *copy = (char *)agon_allocate(n + 1);
    if (copy) for (size_t at = 0; at <= n; at++) copy[at] = text[at];
    return copy;
}
int snprintf(char *to, size_t size)
{
    int length = agon_number();
    if (length < 0) length = 0;
    if (size > 0) {
        size_t end = (size_t)length < size ? (size_t)length : size - 1;
        for (size_t n = 0; n < end; n++) {
            char c = agon_character();
            to[n] = c ? c : 1;
        }
        to[end] = 0;
    }
    return length;
}
