#include "CFido2.h"

#include <dlfcn.h>
#include <stdlib.h>

const struct cfido2_library *cfido2_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct cfido2_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed: open devices use functions of the library.
#define RESOLVE(result, name, parameters) \
    if (!(*(void **)&library->name = dlsym(handle, #name))) { \
        free(library); \
        return NULL; \
    }
    CFIDO2_FUNCTIONS(RESOLVE)
    unsetenv("FIDO_DEBUG");
    return library;
}

int cfido2_set_io(const struct cfido2_library *library, struct fido_dev *device, const struct cfido2_io *functions) {
    return library->fido_dev_set_io_functions(device, (const struct fido_dev_io *)functions);
}
