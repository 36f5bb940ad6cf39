// The files that an agent can open (landlock(7)). Folders can be listed everywhere, because paths to files lead through them.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#if defined __linux__ && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

// The rights of a rule for changes. A rule for reading has only the first.
#define READING LANDLOCK_ACCESS_FS_READ_FILE
#define CHANGING                                                                               \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR                             \
        | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR                         \
        | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK)
// The rights that no rule has.
#define NEVER                                                                                  \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_FIFO  \
        | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

/// The right to make changes, including truncate(2) if the kernel (6.2) can limit it.
static unsigned long long changing(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return CHANGING | (version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0);
}

int platform_file_rules(void) {
    struct landlock_ruleset_attr rules = {.handled_access_fs = READING | NEVER | changing()};
    return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

int platform_file_rules_add(int rules, const char *folder, int allows_changes) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access = READING | (allows_changes ? changing() : 0),
        .parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
    };
    if (rule.parent_fd < 0) return errno;
    long result = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    int code = result == 0 ? 0 : errno;
    close(rule.parent_fd);
    return code;
}

int platform_file_rules_apply(int rules) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : errno;
}
#else
int platform_file_rules(void) {
    errno = ENOSYS;
    return -1;
}

int platform_file_rules_add(int rules, const char *folder, int allows_changes) {
    return ENOSYS;
}

int platform_file_rules_apply(int rules) { return ENOSYS; }
#endif
