#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CWipingHeap.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_HEAP_OF_SANITIZER
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_HEAP_OF_SANITIZER)
#include <malloc.h>

// The functions of the C library under their other names.
extern void __libc_free(void *block);
extern void *__libc_malloc(size_t size);

void free(void *block) {
    if (block == NULL) return;
    // free(3) keeps errno (POSIX.1-2024).
    int code = errno;
    explicit_bzero(block, malloc_usable_size(block));
    __libc_free(block);
    errno = code;
}

void *realloc(void *block, size_t size) {
    if (block == NULL) return __libc_malloc(size);
    if (size == 0) {
        free(block);
        return NULL;
    }
    size_t usable = malloc_usable_size(block);
    if (size <= usable && size >= usable / 2) return block;
    void *next = __libc_malloc(size);
    if (next == NULL) return NULL;
    memcpy(next, block, size < usable ? size : usable);
    free(block);
    return next;
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t product;
    if (__builtin_mul_overflow(count, size, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, product);
}
#endif
