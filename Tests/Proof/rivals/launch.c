// Runs one program and says how long it took and how much memory it had at its peak:
//
//     launch DESCRIPTOR SECONDS PROGRAM [ARGUMENT ...]
//
// writes "nanoseconds peak-kibibytes wait-status stopped" to the descriptor. The program is killed, with those that it started and that
// stayed in its process group, after so many seconds. The peak is that of the program or of the largest one that it waited for.
//
// It is a program of its own because a process inherits the peak of the one that starts it, and a Python interpreter's is 15 MiB.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile pid_t child;
static volatile sig_atomic_t stopped;

static void stop(int signal) {
    (void)signal;
    stopped = 1;
    if (child > 0) kill(-child, SIGKILL);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    if (count < 4) return 64;
    int report = atoi(arguments[1]);
    fcntl(report, F_SETFD, FD_CLOEXEC);
    signal(SIGALRM, stop);
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    alarm((unsigned)atoi(arguments[2]));
    long long start = now();
    pid_t started;
    int error = posix_spawnp(&started, arguments[3], NULL, &attributes, arguments + 3, environ);
    if (error) {
        fprintf(stderr, "%s: %s\n", arguments[3], strerror(error));
        return 127;
    }
    child = started;
    struct rusage usage;
    int status;
    while (wait4(started, &status, 0, &usage) < 0 && errno == EINTR) {}
    dprintf(report, "%lld %ld %d %d\n", now() - start, usage.ru_maxrss, status, (int)stopped);
    return 0;
}
