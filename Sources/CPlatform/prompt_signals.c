// Signals during a prompt, or while a screen is taken. In C, because a handler may run at any instruction, and Swift does not promise
// which of its operations are safe there (signal-safety(7)); write(2) is.
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>

// The last two are for a screen only.
static const int catchable[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT};
enum { screen_count = sizeof catchable / sizeof catchable[0], prompt_count = screen_count - 2 };

static struct sigaction previous[screen_count];
static int caught_count;

// Noted signals go through a pipe, so that one that arrives just before the wait begins still ends it, whichever
// thread it came to. The pipe is never closed: a handler may be at work in another thread while the handlers are restored.
static int notices[2] = {-1, -1};

static void note(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(notices[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

static int open_notices(void) {
    if (notices[0] >= 0) return 0;
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= FD_SETSIZE || fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0
            || fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0) {
            close(ends[0]);
            close(ends[1]);
            errno = EMFILE;
            return -1;
        }
    }
    notices[0] = ends[0];
    notices[1] = ends[1];
    return 0;
}

/// The oldest signal that was noted, or 0.
static int take_notice(void) {
    unsigned char byte;
    return read(notices[0], &byte, 1) == 1 ? byte : 0;
}

static int catch_first(int count) {
    if (open_notices() != 0) return -1;
    while (take_notice() != 0) {}
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < count; i++) {
        if (sigaction(catchable[i], &action, &previous[i]) != 0) {
            while (i-- > 0) sigaction(catchable[i], &previous[i], NULL);
            return -1;
        }
    }
    caught_count = count;
    return 0;
}

int platform_prompt_signals_begin(void) {
    return catch_first(prompt_count);
}

int platform_screen_signals_begin(void) {
    return catch_first(screen_count);
}

int platform_prompt_signals_wait(int descriptor) {
    return platform_screen_signals_wait(descriptor, 0, -1);
}

int platform_screen_signals_wait(int descriptor, int writing, int milliseconds) {
    // select and not poll: on macOS poll does not know terminals.
    if (descriptor < 0 || descriptor >= FD_SETSIZE) {
        errno = EBADF;
        return -1;
    }
    int last = descriptor > notices[0] ? descriptor : notices[0];
    for (;;) {
        fd_set readable, writable;
        FD_ZERO(&readable);
        FD_ZERO(&writable);
        FD_SET(descriptor, writing ? &writable : &readable);
        FD_SET(notices[0], &readable);
        struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
        int count = select(last + 1, &readable, &writable, NULL, milliseconds < 0 ? NULL : &time);
        if (count == 0) return -2;
        if (count < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        int number = FD_ISSET(notices[0], &readable) ? take_notice() : 0;
        if (number != 0) return number;
        if (FD_ISSET(descriptor, writing ? &writable : &readable)) return 0;
    }
}

int platform_prompt_signals_end(void) {
    for (int i = 0; i < caught_count; i++) sigaction(catchable[i], &previous[i], NULL);
    // Neither another size nor a continuation matters any more.
    int number;
    do number = take_notice();
    while (number == SIGWINCH || number == SIGCONT);
    return number;
}

void platform_raise(int number) {
    sigset_t wanted, before;
    sigemptyset(&wanted);
    sigaddset(&wanted, number);
    pthread_sigmask(SIG_UNBLOCK, &wanted, &before);
    raise(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
