// The system calls that an agent never needs. The list rejects calls and permits all others. Later versions of libpq, sd-bus, libcrypto and
// SQLite may need new calls. An agent that fails in a session would be worse than one with more rights.
#define _GNU_SOURCE
#include "CPlatform.h"

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#if defined __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef OWN_ARCHITECTURE
static const unsigned int refused[] = {
    // Other programs, and their memory.
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
    SYS_pidfd_getfd, SYS_process_madvise, SYS_perf_event_open, SYS_userfaultfd,
    // Calls that could bypass this list.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // The kernel, its keys and its modules.
    SYS_bpf, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_kexec_load,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_syslog, SYS_reboot, SYS_acct,
    SYS_quotactl, SYS_swapon, SYS_swapoff,
    // File systems and name spaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_tree,
    SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_open_by_handle_at,
    // The clock.
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
};
#define COUNT (sizeof refused / sizeof refused[0])
// A jump in a filter has eight bits.
_Static_assert(COUNT < 200, "the list is too long for one jump");

int platform_refuse_system_calls(void) {
    struct sock_filter filter[COUNT + 8];
    size_t size = 0;
    filter[size++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    // Calls of another architecture have other numbers.
    filter[size++] = (struct sock_filter)BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, COUNT + 3);
    filter[size++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    // Calls of x32 have other numbers, too, which begin here.
    filter[size++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, COUNT + 1, 0);
    for (size_t index = 0; index < COUNT; index++) {
        filter[size++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, refused[index], (unsigned char)(COUNT - index), 0);
    }
    filter[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[size++] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA));
    struct sock_fprog program = {.len = (unsigned short)size, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    // The filter also applies to threads that run already.
    long result = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (result == 0) return 0;
    return result > 0 ? EBUSY : errno;
}
#else
int platform_refuse_system_calls(void) { return ENOSYS; }
#endif
#else
#include <errno.h>

int platform_refuse_system_calls(void) { return ENOSYS; }
#endif
