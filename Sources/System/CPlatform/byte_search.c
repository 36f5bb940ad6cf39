// For memmem of glibc.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <string.h>

const void *platform_find(const void *bytes, size_t size, const void *part, size_t part_size) {
    return memmem(bytes, size, part, part_size);
}
