// The signals of the agent, as bytes in a pipe: signal-safety(7) allows a handler no more than that.
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static int notices[2] = {-1, -1};

static void note(int number) {
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t ignored = write(notices[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

int platform_agent_signals_begin(void) {
    static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    if (notices[0] < 0) {
        int ends[2];
        if (platform_pipe(ends) != 0) return -1;
        notices[0] = ends[0];
        notices[1] = ends[1];
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    // Whoever started this process may have held them back, and a child inherits that.
    sigset_t wanted;
    sigemptyset(&wanted);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        if (sigaction(caught[i], &action, NULL) != 0) return -1;
        sigaddset(&wanted, caught[i]);
    }
    if (pthread_sigmask(SIG_UNBLOCK, &wanted, NULL) != 0) return -1;
    return notices[0];
}

int platform_agent_signals_take(void) {
    unsigned char byte;
    return read(notices[0], &byte, 1) == 1 ? byte : 0;
}
