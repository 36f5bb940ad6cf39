#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CTestPlatform.h"

#include <signal.h>

// In each process of tests, before anything else, as the programs do: a process may end before it has read its input.
__attribute__((constructor)) static void ignore_broken_pipes(void) {
    signal(SIGPIPE, SIG_IGN);
}

#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

int test_platform_start(const char *const *arguments, int *input) {
    int ends[2];
    pid_t process = -1;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
    int failure = posix_spawn(
        &process, arguments[0], &actions, &attributes, (char *const *)arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[0]);
    if (failure != 0) {
        close(ends[1]);
        errno = failure;
        return -1;
    }
    *input = ends[1];
    return process;
}

void test_platform_close_from(posix_spawn_file_actions_t *actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#endif
