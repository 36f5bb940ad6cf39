#include "CQREncode.h"

#include <dlfcn.h>
#include <stdlib.h>

const struct cqrencode_library *cqrencode_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct cqrencode_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed.
    *(void **)&library->QRcode_encodeData = dlsym(handle, "QRcode_encodeData");
    *(void **)&library->QRcode_free = dlsym(handle, "QRcode_free");
    if (library->QRcode_encodeData && library->QRcode_free) return library;
    free(library);
    return NULL;
}
