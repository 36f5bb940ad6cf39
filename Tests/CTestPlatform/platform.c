#ifdef __linux__
#define _GNU_SOURCE
#include "CTestPlatform.h"

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

int test_platform_begin_private_mounts(void) {
    if (unshare(CLONE_NEWNS) != 0) return -1;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

int test_platform_mount_memory(const char *folder, unsigned long size) {
    char options[64];
    snprintf(options, sizeof options, "mode=0700,size=%lu", size);
    return mount("tmpfs", folder, "tmpfs", 0, options);
}

int test_platform_cut_power(const char *folder) {
    // EXT4_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH, which are in no header of the C library.
    uint32_t flags = 2;
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = ioctl(descriptor, _IOR('X', 125, uint32_t), &flags);
    close(descriptor);
    return result;
}
#else
typedef int nothing_of_this_is_for_other_systems;
#endif
