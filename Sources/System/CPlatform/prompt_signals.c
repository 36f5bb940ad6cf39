// Signals during a prompt or on the alternate screen.
#include "CPlatform.h"
#include "signal_notices.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <termios.h>

// The last two are for the alternate screen only.
static const int catchable[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT};
enum { screen_count = sizeof catchable / sizeof catchable[0], prompt_count = screen_count - 2 };

static struct sigaction previous[screen_count];
static sigset_t previous_mask;
static int caught_count;
static int notices = -1;

static int catch_first(int count) {
    notices = signal_notices_open();
    if (notices < 0) return -1;
    while (signal_notices_take() != 0) {}
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = signal_notices_add;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < count; i++) {
        if (sigaction(catchable[i], &action, &previous[i]) != 0) {
            while (i-- > 0) sigaction(catchable[i], &previous[i], NULL);
            return -1;
        }
    }
    caught_count = count;
    // Only now: a signal that was pending is recorded, and does not end a process that still has temporary files.
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int i = 0; i < count; i++) sigaddset(&wanted, catchable[i]);
    pthread_sigmask(SIG_UNBLOCK, &wanted, &previous_mask);
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

#ifdef __APPLE__
// select instead of poll, which does not support terminals on macOS.
static int wait_for(int descriptor, int writing, int milliseconds, int *is_ready, int *has_notice) {
    if (descriptor < 0 || descriptor >= FD_SETSIZE || notices >= FD_SETSIZE) {
        errno = EBADF;
        return -1;
    }
    fd_set readable, writable;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(descriptor, writing ? &writable : &readable);
    FD_SET(notices, &readable);
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    int last = descriptor > notices ? descriptor : notices;
    int count = select(last + 1, &readable, &writable, NULL, milliseconds < 0 ? NULL : &time);
    *is_ready = count > 0 && FD_ISSET(descriptor, writing ? &writable : &readable);
    *has_notice = count > 0 && FD_ISSET(notices, &readable);
    return count;
}
#else
// poll instead of select, which does not support descriptors from 1,024 on.
static int wait_for(int descriptor, int writing, int milliseconds, int *is_ready, int *has_notice) {
    if (descriptor < 0) {
        errno = EBADF;
        return -1;
    }
    struct pollfd waits[] = {{descriptor, writing ? POLLOUT : POLLIN, 0}, {notices, POLLIN, 0}};
    int count = poll(waits, 2, milliseconds);
    if (count > 0 && (waits[0].revents & POLLNVAL) != 0) {
        errno = EBADF;
        return -1;
    }
    *is_ready = count > 0 && waits[0].revents != 0;
    *has_notice = count > 0 && waits[1].revents != 0;
    return count;
}
#endif

int platform_screen_signals_wait(int descriptor, int writing, int milliseconds) {
    for (;;) {
        int is_ready, has_notice;
        int count = wait_for(descriptor, writing, milliseconds, &is_ready, &has_notice);
        if (count == 0) return -2;
        if (count < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        int number = has_notice ? signal_notices_take() : 0;
        if (number != 0) return number;
        if (is_ready) return 0;
    }
}

int platform_prompt_signals_end(void) {
    pthread_sigmask(SIG_SETMASK, &previous_mask, NULL);
    for (int i = 0; i < caught_count; i++) sigaction(catchable[i], &previous[i], NULL);
    // Resizes and continuations are no longer relevant.
    int number;
    do number = signal_notices_take();
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

int platform_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static struct termios kept_settings;
static int kept_terminal;
static volatile sig_atomic_t is_restored;
static struct sigaction kept_actions[prompt_count];

// Only calls of signal-safety(7).
static void restore_terminal(void) {
    if (is_restored) return;
    is_restored = 1;
    while (tcsetattr(kept_terminal, TCSAFLUSH, &kept_settings) != 0 && errno == EINTR) {}
}

static void restore_terminal_and_repeat(int number) {
    int saved = errno;
    restore_terminal();
    for (int i = 0; i < prompt_count; i++) {
        if (catchable[i] == number) sigaction(number, &kept_actions[i], NULL);
    }
    // The signal is blocked until this handler returns.
    raise(number);
    errno = saved;
}

void platform_keep_terminal_begin(int terminal, const struct termios *settings) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = restore_terminal_and_repeat;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    kept_settings = *settings;
    kept_terminal = terminal;
    is_restored = 0;
    for (int i = 0; i < prompt_count; i++) {
        sigaction(catchable[i], NULL, &kept_actions[i]);
        if (kept_actions[i].sa_handler != SIG_IGN) sigaction(catchable[i], &action, NULL);
    }
}

void platform_keep_terminal_end(void) {
    restore_terminal();
    for (int i = 0; i < prompt_count; i++) sigaction(catchable[i], &kept_actions[i], NULL);
}
