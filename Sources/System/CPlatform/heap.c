#include "CPlatform.h"

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif
#include <stdlib.h>

bool platform_reserve_heap(void) {
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, 512 << 10);
    // More than is left of the first part of the heap, and less than malloc takes from elsewhere.
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
