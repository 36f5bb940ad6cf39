// The paths of the shared libraries that this process has loaded.
#define _GNU_SOURCE
#include "CPlatform.h"

#ifdef __linux__
#include <link.h>
#include <string.h>

struct paths {
    char *bytes;
    size_t size, used;
};

static int add(struct dl_phdr_info *library, size_t size, void *context) {
    struct paths *paths = context;
    // The program itself has no name, the kernel's library no path.
    if (library->dlpi_name == NULL || strchr(library->dlpi_name, '/') == NULL) return 0;
    size_t length = strlen(library->dlpi_name) + 1;
    if (paths->used + length <= paths->size) {
        memcpy(paths->bytes + paths->used, library->dlpi_name, length);
    }
    paths->used += length;
    return 0;
}

size_t platform_libraries(void *bytes, size_t size) {
    struct paths paths = {bytes, size, 0};
    dl_iterate_phdr(add, &paths);
    return paths.used;
}
#else
size_t platform_libraries(void *bytes, size_t size) { return 0; }
#endif
