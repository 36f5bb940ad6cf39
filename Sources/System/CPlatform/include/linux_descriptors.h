// Descriptors of Linux: a clock, changed files and the end of a process for poll(2), and files in memory.
#ifndef TASKVAULT_LINUX_DESCRIPTORS_H
#define TASKVAULT_LINUX_DESCRIPTORS_H
#ifdef __linux__

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// timerfd_create(2) of CLOCK_REALTIME, close-on-exec and non-blocking; -1 with errno.
int platform_wall_timer(void);

/// timerfd_settime(2), TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET: becomes readable at a time in milliseconds since 1970, and when the
/// clock is set. A time of 0 or less counts as 1 ms.
int platform_wall_timer_set(int timer, int64_t milliseconds);

/// Resets the timer. Returns whether it had fired or the clock was set (ECANCELED).
bool platform_wall_timer_take(int timer);

/// inotify_init1(2), close-on-exec and non-blocking; -1 with errno.
int platform_folder_watch(void);

/// pidfd_open(2): becomes readable when the process has ended; -1 with errno.
int platform_process_descriptor(pid_t process);

/// memfd_create(2), close-on-exec: a file in memory; -1 with errno.
int platform_memory_file(void);

/// memfd_create(2) with MFD_ALLOW_SEALING and mode 0600, close-on-exec until it is sealed; -1 with errno.
int platform_sealable_file(void);

/// Rewinds the file, makes it immutable with F_ADD_SEALS of fcntl(2), and makes it inheritable for the program that replaces this process;
/// -1 with errno.
int platform_seal(int file);

#endif
#endif
