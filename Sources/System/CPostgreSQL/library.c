#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <stdlib.h>

const struct cpostgresql_library *cpostgresql_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct cpostgresql_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed: the library may keep thread-local state, and connections use its functions.
#define RESOLVE(result, name, parameters) \
    if (!(*(void **)&library->name = dlsym(handle, #name))) { \
        free(library); \
        return NULL; \
    }
    CPOSTGRESQL_FUNCTIONS(RESOLVE)
    return library;
}

void cpostgresql_ignore_notice(void *context, const struct pg_result *notice) {
    (void)context;
    (void)notice;
}
