// Memory that even the kernel does not map: memfd_secret(2).
#define _GNU_SOURCE
#include "CPlatform.h"

void *platform_secret_memory(size_t size, size_t *mapped) {
#if defined __linux__ && defined SYS_memfd_secret
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *mapped = (size / page + 1) * page;
    int descriptor = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
    if (descriptor < 0) return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)*mapped) == 0)
        memory = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? NULL : memory;
#else
    (void)size;
    (void)mapped;
    return NULL;
#endif
}
