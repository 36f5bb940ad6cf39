// The signals of the agent.
#include "CPlatform.h"
#include "signal_notices.h"

#include <signal.h>
#include <string.h>

int platform_agent_signals_begin(void) {
    static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
    int notices = signal_notices_open();
    if (notices < 0) return -1;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = signal_notices_add;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    // The parent process may have blocked them, and a child inherits the mask.
    sigset_t wanted;
    sigemptyset(&wanted);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        if (sigaction(caught[i], &action, NULL) != 0) return -1;
        sigaddset(&wanted, caught[i]);
    }
    if (pthread_sigmask(SIG_UNBLOCK, &wanted, NULL) != 0) return -1;
    return notices;
}

int platform_agent_signals_take(void) {
    return signal_notices_take();
}
