#include "library.h"
#include "memory.h"
#include "address_limits.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static bool start(struct ccurl_library *library, void *handle) {
    unsetenv("SSLKEYLOGFILE");
    if (library->curl_global_init_mem(
            CCURL_GLOBAL_DEFAULT, ccurl_memory_allocate, ccurl_memory_free, ccurl_memory_reallocate, ccurl_memory_duplicate,
            ccurl_memory_allocate_zeros) != CCURLE_OK)
        return false;
    const struct ccurl_version *version = (const struct ccurl_version *)library->curl_version_info(CCURLVERSION_FIRST);
    if (!version || !(version->features & CCURL_VERSION_SSL) || !version->tls) return false;
    // The symbol is searched in libcurl and its dependencies; it belongs to the TLS library only if that is OpenSSL.
    library->set_options = NULL;
    library->has_openssl = strstr(version->tls, "OpenSSL/") || strstr(version->tls, "LibreSSL/");
    if (strncmp(version->tls, "OpenSSL/3.", 10) == 0) *(void **)&library->set_options = dlsym(handle, "SSL_CTX_set_options");
    return true;
}

const struct ccurl_library *ccurl_load(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return NULL;
    struct ccurl_library *library = malloc(sizeof *library);
    if (!library) return NULL;
    // Neither is closed: open connections use functions of the library.
#define RESOLVE(result, name, parameters) \
    if (!(*(void **)&library->name = dlsym(handle, #name))) { \
        free(library); \
        return NULL; \
    }
    CCURL_FUNCTIONS(RESOLVE)
    if (!start(library, handle)) {
        free(library);
        return NULL;
    }
    return library;
}

bool ccurl_has_openssl(const struct ccurl_library *library) {
    return library->has_openssl;
}

void *ccurl_new(const struct ccurl_library *library) {
    return library->curl_easy_init();
}

void ccurl_free(const struct ccurl_library *library, void *handle) {
    library->curl_easy_cleanup(handle);
}

unsigned int ccurl_set_number(const struct ccurl_library *library, void *handle, unsigned int option, long value) {
    return library->curl_easy_setopt(handle, option, value);
}

unsigned int ccurl_set_size(const struct ccurl_library *library, void *handle, unsigned int option, int64_t value) {
    return library->curl_easy_setopt(handle, option, value);
}

unsigned int ccurl_set_text(const struct ccurl_library *library, void *handle, unsigned int option, const char *value) {
    return library->curl_easy_setopt(handle, option, value);
}

unsigned int ccurl_set_list(const struct ccurl_library *library, void *handle, unsigned int option, struct curl_slist *value) {
    return library->curl_easy_setopt(handle, option, value);
}

unsigned int ccurl_set_bytes(
    const struct ccurl_library *library, void *handle, unsigned int option, const void *bytes, size_t count) {
    struct ccurl_bytes blob = {(void *)bytes, count, CCURL_BLOB_COPY};
    return library->curl_easy_setopt(handle, option, &blob);
}

unsigned int ccurl_set_callback(
    const struct ccurl_library *library, void *handle, unsigned int option, ccurl_data_callback callback,
    unsigned int contextOption, void *context) {
    unsigned int code = library->curl_easy_setopt(handle, option, callback);
    return code != CCURLE_OK ? code : library->curl_easy_setopt(handle, contextOption, context);
}

long ccurl_number(const struct ccurl_library *library, void *handle, unsigned int info) {
    long value = 0;
    return library->curl_easy_getinfo(handle, info, &value) == CCURLE_OK ? value : 0;
}

int64_t ccurl_size(const struct ccurl_library *library, void *handle, unsigned int info) {
    int64_t value = 0;
    return library->curl_easy_getinfo(handle, info, &value) == CCURLE_OK ? value : 0;
}

const char *ccurl_text(const struct ccurl_library *library, void *handle, unsigned int info) {
    const char *value = NULL;
    return library->curl_easy_getinfo(handle, info, &value) == CCURLE_OK ? value : NULL;
}

struct curl_slist *ccurl_append(const struct ccurl_library *library, struct curl_slist *list, const char *text) {
    return library->curl_slist_append(list, text);
}

void ccurl_free_list(const struct ccurl_library *library, struct curl_slist *list) {
    library->curl_slist_free_all(list);
}

unsigned int ccurl_set_reach(const struct ccurl_library *library, void *handle, struct ccurl_reach *reach) {
    unsigned int code = library->curl_easy_setopt(handle, CCURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
    return code != CCURLE_OK ? code : library->curl_easy_setopt(handle, CCURLOPT_OPENSOCKETDATA, reach);
}

// SSL_OP_CLEANSE_PLAINTEXT of OpenSSL 3.
static unsigned int cleanse(void *handle, void *context, void *data) {
    (void)handle;
    const struct ccurl_library *library = data;
    library->set_options(context, 2);
    return CCURLE_OK;
}

unsigned int ccurl_set_cleansing(const struct ccurl_library *library, void *handle) {
    if (!library->set_options) return CCURLE_OK;
    unsigned int code = library->curl_easy_setopt(handle, CCURLOPT_SSL_CTX_FUNCTION, cleanse);
    return code != CCURLE_OK ? code : library->curl_easy_setopt(handle, CCURLOPT_SSL_CTX_DATA, library);
}
