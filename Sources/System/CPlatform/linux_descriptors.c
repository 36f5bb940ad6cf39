// Descriptors for a clock, changed files, the end of a process, and files in memory.
// In C, because the importer omits these declarations or their flags.
#ifdef __linux__
#define _GNU_SOURCE

#include "CPlatform.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

int platform_wall_timer(void) {
    return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int platform_wall_timer_set(int timer, int64_t milliseconds) {
    struct itimerspec time = {0};
    // A time of zero would disarm the timer.
    if (milliseconds < 1) milliseconds = 1;
    time.it_value.tv_sec = milliseconds / 1000;
    time.it_value.tv_nsec = milliseconds % 1000 * 1000000;
    return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

bool platform_wall_timer_take(int timer) {
    uint64_t count;
    for (;;) {
        if (read(timer, &count, sizeof count) >= 0 || errno == ECANCELED) return true;
        if (errno != EINTR) return false;
    }
}

int platform_folder_watch(void) {
    return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

int platform_process_descriptor(pid_t process) {
    // Older headers lack the function. The descriptor is close-on-exec.
    return (int)syscall(SYS_pidfd_open, process, 0);
}

int platform_memory_file(void) {
    return memfd_create("taskvault", MFD_CLOEXEC);
}

int platform_sealable_file(void) {
    // Older headers lack the flag, and kernels before 6.3 refuse it. Newer ones may require it (vm.memfd_noexec).
    const unsigned noexec_seal = 8;
    int file = memfd_create("taskvault", MFD_CLOEXEC | MFD_ALLOW_SEALING | noexec_seal);
    if (file < 0 && errno == EINVAL) file = memfd_create("taskvault", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && fchmod(file, 0600) != 0) {
        int code = errno;
        close(file);
        errno = code;
        return -1;
    }
    return file;
}

int platform_seal(int file) {
    if (lseek(file, 0, SEEK_SET) < 0) return -1;
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0) return -1;
    return fcntl(file, F_SETFD, 0);
}
#endif
