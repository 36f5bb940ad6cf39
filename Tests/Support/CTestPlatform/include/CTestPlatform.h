// What tests ask of the system that Swift cannot call by itself. A process with this module ignores SIGPIPE from its start.
#ifndef TASKVAULT_CTESTPLATFORM_H
#define TASKVAULT_CTESTPLATFORM_H

/// ioctl(2) of a Unix socket, SIOCOUTQ, or SO_NWRITE: how much memory holds what was sent and not yet read; -1 with errno.
int test_platform_unread(int descriptor);

#ifdef __linux__
#include <spawn.h>

/// posix_spawn(3): a process in a session of its own, with no signals blocked, nothing open but the two ends of its input, and output that is
/// lost. `input` becomes the descriptor to write to it; it sees the end when that is closed, also when the writer is killed.
int test_platform_start(const char *const *arguments, int *input);

/// Closes all descriptors from `first` on in a child: posix_spawn_file_actions_addclosefrom_np(3).
void test_platform_close_from(posix_spawn_file_actions_t *actions, int first);

/// unshare(2) and mount(2): what the calling thread and its children mount from now on, nobody else sees, and it ends with them.
int test_platform_begin_private_mounts(void);

/// mount(2): an empty file system in memory, of mode 0700, that holds so many bytes.
int test_platform_mount_memory(const char *folder, unsigned long size);

/// ioctl(2) of ext4, EXT4_IOC_SHUTDOWN: the file system stops at once, and what is not synced is lost, as in a power cut.
int test_platform_cut_power(const char *folder);

/// perf_event_open(2): a descriptor from which the instructions of the calling thread in user mode are read, 8 bytes; -1 with errno.
int test_platform_instructions(void);

/// A client request of valgrind without arguments (valgrind.h); 0 where valgrind does not run this process. x86-64 only.
unsigned long test_platform_ask_valgrind(unsigned long request);
#endif

#endif
