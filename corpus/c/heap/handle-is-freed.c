//! unsafe: any
//! with -DFIXED: safe-up-to: 3 allocated objects of type `struct file` at once
//! inputs: 0..8 functions 0 nesting 2
/* A handle is freed by a callback while it is in use. */
#include <stdlib.h>
struct file { unsigned char busy, closing, n; };
extern void progress(void);
struct file *file_open(void) { return calloc(1, sizeof(struct file)); }
void file_close(struct file *f)
{
    if (!f)
        return;
#ifdef FIXED
    if (f->busy) {
        f->closing = 1;
        return;
    }
#endif
    free(f);
}
void file_read(struct file *f)
{
    if (!f || f->busy)
        return;
    f->busy = 1;
    progress();
    f->busy = 0;
#ifdef FIXED
    if (f->closing)
        free(f);
#endif
}
