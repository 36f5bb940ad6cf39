#ifdef __linux__
#define _GNU_SOURCE
#include "CTestPlatform.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

int test_platform_unread(int descriptor) {
    int size = 0;
    return ioctl(descriptor, SIOCOUTQ, &size) == 0 ? size : -1;
}

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

int test_platform_instructions(void) {
    struct perf_event_attr event = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof event, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

unsigned long test_platform_ask_valgrind(unsigned long request) {
    unsigned long answer = 0;
#ifdef __x86_64__
    // The rotations cancel each other out, and the exchange has no effect: valgrind recognizes them.
    volatile unsigned long words[6] = {request};
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "=d"(answer)
                     : "a"(words), "0"(answer)
                     : "cc", "memory");
#else
    (void)request;
#endif
    return answer;
}
#else
#include "CTestPlatform.h"

#include <sys/socket.h>

int test_platform_unread(int descriptor) {
    int size = 0;
    socklen_t length = sizeof size;
    return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &size, &length) == 0 ? size : -1;
}
#endif
