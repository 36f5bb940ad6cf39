// Starting processes by posix_spawn(3), replacing this process by exec(3), and closing descriptors before.
// For posix_spawn_file_actions_addchdir_np of glibc.
#define _GNU_SOURCE

#include "CPlatform.h"

int platform_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder) {
#ifdef __APPLE__
    return posix_spawn_file_actions_addchdir(actions, folder);
#else
    return posix_spawn_file_actions_addchdir_np(actions, folder);
#endif
}

short platform_spawn_new_session(void) {
    return POSIX_SPAWN_SETSID;
}

short platform_spawn_close_others(posix_spawn_file_actions_t *actions) {
#ifdef __APPLE__
    (void)actions;
    return POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return 0;
#endif
}

void platform_execute(const char *file, char *const *arguments, char *const *environment) {
#ifdef __APPLE__
    extern char **environ;
    environ = (char **)environment;
    execvp(file, arguments);
#else
    execvpe(file, arguments, environment);
#endif
}

void platform_close_from(int first) {
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    for (int descriptor = first; descriptor < (limit < 0 ? 1024 : limit); descriptor++) close(descriptor);
}
