// The heap of malloc(3): its reserve and its number of arenas; returning unused memory and code to the system.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <stdlib.h>

bool platform_reserve_heap(void) {
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 512 << 10);
    // More than the rest of the first part of the heap, and less than malloc allocates with mmap(2).
    void *room = malloc(120 << 10);
    if (room == NULL) return false;
    free(room);
#endif
    return true;
}

void platform_limit_heaps(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
#endif
}

void platform_return_free_memory(void) {
#ifdef __APPLE__
    malloc_zone_pressure_relief(NULL, 0);
#elif defined(__GLIBC__)
    malloc_trim(0);
#endif
}

#ifdef __linux__
static bool has_changed_code(const struct dl_phdr_info *object, const ElfW(Phdr) *part) {
    const ElfW(Dyn) *entry = (const void *)(object->dlpi_addr + part->p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_TEXTREL) return true;
        if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return true;
    }
    return false;
}

static int leave_code(struct dl_phdr_info *object, size_t size, void *context) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const ElfW(Phdr) *end = object->dlpi_phdr + object->dlpi_phnum;
    for (const ElfW(Phdr) *part = object->dlpi_phdr; part < end; part++) {
        if (part->p_type == PT_DYNAMIC && has_changed_code(object, part)) return 0;
    }
    for (const ElfW(Phdr) *part = object->dlpi_phdr; part < end; part++) {
        if (part->p_type != PT_LOAD || (part->p_flags & (PF_X | PF_W)) != PF_X) continue;
        uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        uintptr_t first = begin & ~(page - 1);
        madvise((void *)first, begin + part->p_filesz - first, MADV_DONTNEED);
    }
    return 0;
}
#endif

void platform_rest(void) {
    platform_return_free_memory();
#ifdef __linux__
    dl_iterate_phdr(leave_code, NULL);
#endif
}
