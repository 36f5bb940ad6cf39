// What Swift cannot call by itself: variadic functions, and declarations that the importer leaves out.
#ifndef TASKVAULT_CPLATFORM_H
#define TASKVAULT_CPLATFORM_H

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "login_events.h"

#ifdef __linux__
#include <sys/syscall.h>
#else
#include <stdio.h>
#endif

#ifdef __linux__
#include <sys/prctl.h>

/// prctl(2), PR_SET_DUMPABLE 0: no core dump, no ptrace and no /proc/PID/mem for the same user.
static inline int platform_forbid_dump_and_trace(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(2), PR_SET_NO_NEW_PRIVS: a child cannot gain privileges through set-user-id files.
static inline int platform_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
#endif

/// environ(7), a variable that other threads could change: nothing in this program does.
static inline char **platform_environment(void) {
    extern char **environ;
    return environ;
}

/// Lets a child process begin in `folder`, by posix_spawn_file_actions_addchdir(3), which older systems know by another name.
int platform_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder);

/// The flag by which posix_spawn(3) gives a child a session of its own; hidden by feature macros on Linux.
short platform_spawn_new_session(void);

/// Closes all descriptors from `first` on: close_range(2), or one by one.
void platform_close_from(int first);

/// Zeroes the vector registers that a call may change. What handles keys leaves pieces of them there, and the first call of
/// each library function saves all of them on the stack (lazy binding by the dynamic linker), where they would stay.
void platform_wipe_vector_registers(void);

/// open(2), which is variadic, with O_CLOEXEC always set.
static inline int platform_open(const char *path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

/// openat(2), which is variadic, with O_CLOEXEC always set.
static inline int platform_openat(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags | O_CLOEXEC, mode);
}

/// Renames within a folder unless the new name is taken (EEXIST): renameat2(2) with RENAME_NOREPLACE, or renameatx_np(2).
static inline int platform_rename_exclusive(int folder, const char *from, const char *to) {
#ifdef __linux__
    return (int)syscall(SYS_renameat2, folder, from, folder, to, 1u);
#else
    return renameatx_np(folder, from, folder, to, RENAME_EXCL);
#endif
}

/// Exchanges two names of a folder in one step: renameat2(2) with RENAME_EXCHANGE, or renameatx_np(2).
static inline int platform_exchange(int folder, const char *first, const char *second) {
#ifdef __linux__
    return (int)syscall(SYS_renameat2, folder, first, folder, second, 2u);
#else
    return renameatx_np(folder, first, folder, second, RENAME_SWAP);
#endif
}

/// Width of the terminal in columns by ioctl(2) TIOCGWINSZ, or 0 where it has none.
static inline int platform_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Height of the terminal in rows, likewise.
static inline int platform_terminal_rows(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/// Catches SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP until platform_prompt_signals_end; 0, or -1 with errno.
/// The handlers only note the signal. One caller at a time.
int platform_prompt_signals_begin(void);

/// Waits until `descriptor` can be read (0) or a signal was noted (its number); -1 with errno.
int platform_prompt_signals_wait(int descriptor);

/// Catches SIGWINCH and SIGCONT, too; ended in the same way.
int platform_screen_signals_begin(void);

/// Waits likewise until `descriptor` can be read, or written if `writing`, but no longer than `milliseconds` (-1: any time): -2 then.
int platform_screen_signals_wait(int descriptor, int writing, int milliseconds);

/// Restores the handlers that were there before; the number of a signal that was noted and not yet returned, or 0.
int platform_prompt_signals_end(void);

/// A Unix socket that listens at `path`, which has at most 107 bytes (103 on macOS): unix(7), close-on-exec and non-blocking.
int platform_listen(const char *path, int backlog);

/// A TCP socket that listens at `address`, close-on-exec and non-blocking; nobody else can listen there at the same time.
int platform_listen_at(const struct sockaddr *address, socklen_t size, int backlog);

/// SOCK_STREAM, which is an enumeration on Linux and a number on macOS.
static inline int platform_stream_socket(void) {
    return SOCK_STREAM;
}

/// A Unix socket that is connected to `path`, likewise; waits 5 seconds for a listener whose queue is full (EAGAIN).
int platform_connect(const char *path);

/// accept(2), close-on-exec and non-blocking.
int platform_accept(int listener);

/// Whether the other end of a connection has gone or sends nothing more: poll(2), POLLRDHUP where the system has it.
int platform_has_ended(int descriptor);

/// pipe(2), close-on-exec and non-blocking at both ends.
int platform_pipe(int ends[2]);

/// The user at the other end of a Unix socket: SO_PEERCRED of unix(7), or getpeereid(3).
int platform_peer_user(int descriptor, uid_t *user);

/// The process that listens at the other end of a Unix socket, or 0: SO_PEERCRED, LOCAL_PEERPID.
pid_t platform_peer_process(int descriptor);

/// send(2) without SIGPIPE where the system can.
ssize_t platform_send(int descriptor, const void *bytes, size_t count);

/// recv(2).
ssize_t platform_receive(int descriptor, void *bytes, size_t count);

/// Catches SIGTERM, SIGINT, SIGHUP and SIGUSR1 for good; a descriptor that can be read when one came, or -1 with errno.
int platform_agent_signals_begin(void);

/// The oldest signal that came and was not taken, or 0.
int platform_agent_signals_take(void);

/// Keeps the number of malloc's heaps small in a process of many threads: mallopt(3), where it is glibc's.
void platform_limit_heaps(void);

/// Gives memory that was freed back to the system: malloc_trim(3), or malloc_zone_pressure_relief on macOS.
void platform_return_free_memory(void);

/// Runs `body` with `context` in a thread that ends by itself: pthread_create(3), with the usual stack where `stack_size` is 0. An error number, or 0.
int platform_start_thread(size_t stack_size, void *(*body)(void *), void *context);

/// raise(3) that takes effect before it returns, also in a thread that blocks the signal, as the workers of libdispatch do.
void platform_raise(int number);

/// What termios(3) holds in c_cc for an action that has no key: _POSIX_VDISABLE, a macro that the importer leaves out.
static inline unsigned char platform_terminal_no_key(void) {
    return _POSIX_VDISABLE;
}

#endif
