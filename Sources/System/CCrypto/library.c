#include "CCrypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

const struct ccrypto_library *ccrypto_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct ccrypto_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed: libcrypto has handlers that run at the end of a thread and of the process.
#define RESOLVE(result, name, parameters) \
    if (!(*(void **)&library->name = dlsym(handle, #name))) { \
        free(library); \
        return NULL; \
    }
    CCRYPTO_FUNCTIONS(RESOLVE)
    return library;
}

static const struct ccrypto_library *shared;

static void load_shared(void) {
    static const char *const names[] = {
#ifdef __APPLE__
        "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
        "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
#else
        "libcrypto.so.3",
        "libcrypto.so.1.1",
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof *names && !shared; i++) shared = ccrypto_load(names[i]);
}

const struct ccrypto_library *ccrypto_shared(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_shared);
    return shared;
}
