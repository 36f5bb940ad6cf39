// Our allocator of libcurl, with a free(3) that looks at the memory first. The heap of `taskvault` wipes what is freed, and would hide what
// the allocator leaves.
#include "CDeclarationChecks.h"

#include <stdlib.h>
#include <string.h>

static void look_and_free(void *block);

#define ccurl_failed_allocations checked_failed_allocations
#define ccurl_memory_allocate checked_allocate
#define ccurl_memory_free checked_free
#define ccurl_memory_reallocate checked_reallocate
#define ccurl_memory_duplicate checked_duplicate
#define ccurl_memory_allocate_zeros checked_allocate_zeros
#define free look_and_free
#include "../../../Sources/System/CCurl/memory.c"
#undef free

static int freed, left;

static void look_and_free(void *block) {
    const union head *head = block;
    const unsigned char *bytes = (const unsigned char *)(head + 1);
    freed++;
    for (size_t place = 0; place < head->size; place++) left += bytes[place] != 0;
    free(block);
}

int curl_memory_left(void) {
    freed = left = 0;
    char *bytes = checked_allocate(100);
    if (!bytes) return -1;
    memset(bytes, 'p', 100);
    char *larger = checked_reallocate(bytes, 300);
    if (!larger) return -1;
    memset(larger, 'p', 300);
    checked_free(larger);
    return freed == 2 ? left : -1;
}
