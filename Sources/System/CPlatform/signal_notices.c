// Signals as bytes of a pipe.
// In C, because a handler may interrupt any instruction, and Swift does not specify which of its operations are async-signal-safe
// (signal-safety(7)); write(2) is. A signal just before a wait still ends the wait, in any thread, because the pipe is readable. The pipe
// is never closed, because a handler may run in another thread.
#include "signal_notices.h"

#include "CPlatform.h"

#include <errno.h>

static int notices[2] = {-1, -1};

int signal_notices_open(void) {
    int ends[2];
    if (notices[0] < 0) {
        if (platform_pipe(ends) != 0) return -1;
        notices[0] = ends[0];
        notices[1] = ends[1];
    }
    return notices[0];
}

void signal_notices_add(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(notices[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

int signal_notices_take(void) {
    unsigned char byte;
    return read(notices[0], &byte, 1) == 1 ? byte : 0;
}
