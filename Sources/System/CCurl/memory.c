// The allocator of libcurl. Passwords and tokens pass through it, so memory is overwritten before it is freed.
#include "memory.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The size is stored before the returned pointer, at malloc's alignment.
union head {
    size_t size;
    max_align_t alignment;
};

static _Atomic uint64_t failures;

uint64_t ccurl_failed_allocations(void) {
    return atomic_load(&failures);
}

static void wipe(void *bytes, size_t count) {
    memset(bytes, 0, count);
    // Prevents the compiler from removing the stores as dead.
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

void *ccurl_memory_allocate(size_t size) {
    union head *head = size <= SIZE_MAX - sizeof *head ? malloc(sizeof *head + size) : NULL;
    if (!head) {
        atomic_fetch_add(&failures, 1);
        return NULL;
    }
    head->size = size;
    return head + 1;
}

void ccurl_memory_free(void *pointer) {
    if (!pointer) return;
    union head *head = (union head *)pointer - 1;
    wipe(pointer, head->size);
    free(head);
}

void *ccurl_memory_reallocate(void *pointer, size_t size) {
    void *larger = ccurl_memory_allocate(size);
    if (larger && pointer) {
        size_t old = ((union head *)pointer - 1)->size;
        memcpy(larger, pointer, old < size ? old : size);
        ccurl_memory_free(pointer);
    }
    return larger;
}

char *ccurl_memory_duplicate(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = ccurl_memory_allocate(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void *ccurl_memory_allocate_zeros(size_t count, size_t size) {
    size_t whole;
    if (__builtin_mul_overflow(count, size, &whole)) return NULL;
    void *pointer = ccurl_memory_allocate(whole);
    return pointer ? memset(pointer, 0, whole) : NULL;
}
