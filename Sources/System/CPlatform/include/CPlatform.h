// Wrappers for the parts that Swift cannot call: variadic functions, and declarations that the importer omits.
#ifndef TASKVAULT_CPLATFORM_H
#define TASKVAULT_CPLATFORM_H

#include <fcntl.h>
#include <stdbool.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include "fingerprint.h"
#include "linux_descriptors.h"
#include "login_events.h"

#ifdef __linux__
#include <sys/syscall.h>
#else
#include <stdio.h>
#endif

#ifdef __linux__
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

/// statfs(2): whether the file system of a path is in memory only, tmpfs or ramfs.
static inline bool platform_is_in_memory(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 && (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

/// prctl(2), PR_SET_DUMPABLE 0: no core dump, no ptrace and no /proc/PID/mem for the same user.
static inline int platform_forbid_dump_and_trace(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(2), PR_SET_NO_NEW_PRIVS: a child cannot gain privileges through set-user-id files.
static inline int platform_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
#endif

/// environ(7). Not thread-safe, but this program never changes it.
static inline char **platform_environment(void) {
    extern char **environ;
    return environ;
}

/// Sets the initial folder of a child process: posix_spawn_file_actions_addchdir(3), which has another name on older systems.
int platform_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The flag of posix_spawn(3) for a new session; hidden by feature macros on Linux.
short platform_spawn_new_session(void);

/// Closes all but the standard descriptors in the child: posix_spawn_file_actions_addclosefrom_np(3) on Linux. Returns the flag of
/// posix_spawn(3) for the same on macOS.
short platform_spawn_close_others(posix_spawn_file_actions_t *actions);

/// Closes all descriptors from `first` on: close_range(2), or one by one.
void platform_close_from(int first);

/// Replaces this process by a program, which is searched in PATH as by execvp(3): execvpe(3) of glibc. Returns only after a failure, with
/// errno.
void platform_execute(const char *file, char *const *arguments, char *const *environment);

/// Whether the clock is synchronised: adjtimex(2) without STA_UNSYNC and TIME_ERROR. True if the system does not report it.
int platform_clock_is_synchronised(void);

/// Zeroes the call-clobbered vector registers. Key operations leave fragments there, and the dynamic linker's lazy binding saves all
/// registers on the stack at the first call of each library function.
void platform_wipe_vector_registers(void);

/// open(2), which is variadic, with O_CLOEXEC always set.
static inline int platform_open(const char *path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

/// openat(2), which is variadic, with O_CLOEXEC always set.
static inline int platform_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags | O_CLOEXEC, mode);
}

/// fcntl(2), which is variadic, with a number.
static inline int platform_fcntl(int descriptor, int command, int argument) {
    return fcntl(descriptor, command, argument);
}

/// Renames within a folder unless the new name exists (EEXIST): renameat2(2) with RENAME_NOREPLACE, or renameatx_np(2).
static inline int platform_rename_exclusive(int folder, const char *from, const char *to) {
#ifdef __linux__
    return (int)syscall(SYS_renameat2, folder, from, folder, to, 1u);
#else
    return renameatx_np(folder, from, folder, to, RENAME_EXCL);
#endif
}

/// Exchanges two names of a folder atomically: renameat2(2) with RENAME_EXCHANGE, or renameatx_np(2).
static inline int platform_exchange(int folder, const char *first, const char *second) {
#ifdef __linux__
    return (int)syscall(SYS_renameat2, folder, first, folder, second, 2u);
#else
    return renameatx_np(folder, first, folder, second, RENAME_SWAP);
#endif
}

/// Width of the terminal in columns by ioctl(2) TIOCGWINSZ, or 0 without a terminal.
static inline int platform_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Height of the terminal in rows, or 0 without a terminal.
static inline int platform_terminal_rows(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Catches SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP until platform_prompt_signals_end; returns 0, or -1 with errno.
/// The handlers only record the signal, also one that is blocked in the calling thread. One caller at a time, which also ends it.
int platform_prompt_signals_begin(void);

/// Waits until `descriptor` is readable (0) or a signal was recorded (its number); -1 with errno.
int platform_prompt_signals_wait(int descriptor);

/// As platform_prompt_signals_begin, and also catches SIGWINCH and SIGCONT; ended by the same function.
int platform_screen_signals_begin(void);

/// As platform_prompt_signals_wait, until `descriptor` is readable, or writable if `writing`, at most `milliseconds` (-1: no limit); -2
/// after the timeout.
int platform_screen_signals_wait(int descriptor, int writing, int milliseconds);

/// Restores the previous handlers and the mask of the thread; returns the number of a recorded signal that was not yet returned, or 0.
int platform_prompt_signals_end(void);

/// Sets these settings of a terminal at platform_keep_terminal_end, or before one of the signals SIGINT, SIGTERM, SIGHUP, SIGQUIT and
/// SIGTSTP takes effect, and discards typed input then. The terminal stays open until the end. One caller at a time.
void platform_keep_terminal_begin(int terminal, const struct termios *settings);

/// Sets the settings, unless a signal has, and the earlier handlers.
void platform_keep_terminal_end(void);

/// A listening Unix socket at `path`, which has at most 107 bytes (103 on macOS): unix(7), close-on-exec and non-blocking.
int platform_listen(const char *path, int backlog);

/// A listening TCP socket at `address`, close-on-exec and non-blocking. Other sockets cannot share the address. With a negative backlog
/// it does not listen.
int platform_listen_at(const struct sockaddr *address, socklen_t size, int backlog);

/// SOCK_STREAM, which is an enumeration on Linux and a number on macOS.
static inline int platform_stream_socket(void) {
    return SOCK_STREAM;
}

/// A Unix socket connected to `path`, of the same kind; waits 5 seconds if the listener's queue is full (EAGAIN).
int platform_connect(const char *path);

/// accept(2), close-on-exec and non-blocking.
int platform_accept(int listener);

/// Whether the peer of a connection has closed it or stopped sending: poll(2), with POLLRDHUP if the system supports it.
int platform_has_ended(int descriptor);

/// pipe(2), close-on-exec and non-blocking at both ends.
int platform_pipe(int ends[2]);

/// The user of the peer of a Unix socket: SO_PEERCRED of unix(7), or getpeereid(3).
int platform_peer_user(int descriptor, uid_t *user);

/// The user at the other end of a local TCP connection: sock_diag(7), Linux only.
int platform_tcp_peer_user(int descriptor, uid_t *user);

/// The process that listens at the other end of a Unix socket, or 0: SO_PEERCRED, LOCAL_PEERPID.
pid_t platform_peer_process(int descriptor);

/// send(2) without SIGPIPE if the system supports it.
ssize_t platform_send(int descriptor, const void *bytes, size_t count);

/// The same for two parts in sequence, by sendmsg(2).
ssize_t platform_send_both(int descriptor, const void *first, size_t first_count, const void *second, size_t second_count);

/// recv(2).
ssize_t platform_receive(int descriptor, void *bytes, size_t count);

/// Catches SIGTERM, SIGINT, SIGHUP and SIGUSR1 permanently; returns a descriptor that becomes readable after a signal, or -1 with errno.
int platform_agent_signals_begin(void);

/// Removes and returns the oldest recorded signal, or 0.
int platform_agent_signals_take(void);

/// seccomp(2): makes the calls that an agent never needs fail with EPERM, permanently and in all threads (list in system_call_filter_linux.c),
/// above all execve, ptrace and process_vm_readv. Returns 0 or an error number; ENOSYS if the system has no seccomp.
int platform_refuse_system_calls(void);

/// landlock_create_ruleset(2): a descriptor for rules on files, without any yet; -1 with errno if the kernel lacks it.
int platform_file_rules(void);

/// landlock_add_rule(2): allows reading below a folder, or also changes. Returns 0 or an error number.
int platform_file_rules_add(int rules, const char *folder, int allows_changes);

/// landlock_restrict_self(2): applies the rules to this thread and the threads that it starts. Returns 0 or an error number.
int platform_file_rules_apply(int rules);

/// dl_iterate_phdr(3): writes the paths of this process's libraries, each with its NUL, as far as they fit. Returns the size of all paths;
/// 0 on other systems.
size_t platform_libraries(void *paths, size_t size);

/// Memory for `size` bytes that the kernel itself does not map: memfd_secret(2), with the size for munmap(2). NULL if the system lacks it.
void *platform_secret_memory(size_t size, size_t *mapped);

/// The first occurrence of some bytes in others, or NULL: memmem(3), which Swift's Glibc does not import.
const void *platform_find(const void *bytes, size_t size, const void *part, size_t part_size);

/// An argument of main, 0 for the name of the process; NULL for others. Swift's `CommandLine` reads them from /proc, which may be missing.
const char *platform_argument(int index);

/// Reserves half a mebibyte for small allocations, because Swift aborts if one fails: mallopt(3), glibc only. False if memory is exhausted.
bool platform_reserve_heap(void);

/// Limits the number of malloc's heaps in a process with many threads: mallopt(3), glibc only.
void platform_limit_heaps(void);

/// Returns freed memory to the system: malloc_trim(3), or malloc_zone_pressure_relief on macOS.
void platform_return_free_memory(void);

/// Returns memory before a long wait: freed memory, and the mapped pages of the code, which the page cache supplies again when they run:
/// dl_iterate_phdr(3), madvise(2) with MADV_DONTNEED; on macOS freed memory only.
void platform_rest(void);

/// Runs `body` with `context` in a detached thread: pthread_create(3), with the default stack if `stack_size` is 0. Returns an error number
/// or 0.
int platform_start_thread(size_t stack_size, void *(*body)(void *), void *context);

/// A small number of the calling thread: the threads of a process are counted from 0 in the order of their first calls.
unsigned platform_thread_number(void);

/// raise(3) that takes effect before it returns, even in a thread that blocks the signal, such as the workers of libdispatch.
void platform_raise(int number);

/// Whether the process ignores a signal.
int platform_is_ignored(int number);

/// Reads a time in the format of HTTP, such as "Sun, 06 Nov 1994 08:49:37 GMT": strptime(3) in the C locale, timegm(3).
///
/// Returns whether the whole text is a time; then `seconds` is the time since 1970.
bool platform_read_http_date(const char *text, int64_t *seconds);

/// The value in c_cc of termios(3) for an action without a key: _POSIX_VDISABLE, a macro that the importer omits.
static inline unsigned char platform_terminal_no_key(void) {
    return _POSIX_VDISABLE;
}

#endif
