// Signals during a prompt.
#include "CPlatform.h"
#include "signal_notices.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { caught_count = sizeof caught / sizeof caught[0] };

static struct sigaction previous[caught_count];
static int notices = -1;

int platform_prompt_signals_begin(void) {
    notices = signal_notices_open();
    if (notices < 0) return -1;
    if (notices >= FD_SETSIZE) {
        errno = EMFILE;
        return -1;
    }
    while (signal_notices_take() != 0) {}
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = signal_notices_add;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < caught_count; i++) {
        if (sigaction(caught[i], &action, &previous[i]) != 0) {
            while (i-- > 0) sigaction(caught[i], &previous[i], NULL);
            return -1;
        }
    }
    return 0;
}

int platform_prompt_signals_wait(int descriptor) {
    // select and not poll: on macOS poll does not know terminals.
    if (descriptor < 0 || descriptor >= FD_SETSIZE) {
        errno = EBADF;
        return -1;
    }
    int last = descriptor > notices ? descriptor : notices;
    for (;;) {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(descriptor, &readable);
        FD_SET(notices, &readable);
        if (select(last + 1, &readable, NULL, NULL, NULL) < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        int number = FD_ISSET(notices, &readable) ? signal_notices_take() : 0;
        if (number != 0) return number;
        if (FD_ISSET(descriptor, &readable)) return 0;
    }
}

int platform_prompt_signals_end(void) {
    for (int i = 0; i < caught_count; i++) sigaction(caught[i], &previous[i], NULL);
    return signal_notices_take();
}

void platform_raise(int number) {
    sigset_t wanted, before;
    sigemptyset(&wanted);
    sigaddset(&wanted, number);
    pthread_sigmask(SIG_UNBLOCK, &wanted, &before);
    raise(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
