#include "CSystemd.h"

#include <dlfcn.h>
#include <stdlib.h>

const struct csystemd_library *csystemd_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct csystemd_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed: the library keeps thread-local state, and connections use its functions.
#define RESOLVE(result, name, parameters) \
    if (!(*(void **)&library->name = dlsym(handle, #name))) { \
        free(library); \
        return NULL; \
    }
    CSYSTEMD_FUNCTIONS(RESOLVE)
    return library;
}

int csystemd_new_error(
    const struct csystemd_library *library, struct sd_bus_message *call, struct sd_bus_message **made,
    const char *name, const char *text) {
    return library->sd_bus_message_new_method_errorf(call, made, name, "%s", text);
}
