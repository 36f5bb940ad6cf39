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
