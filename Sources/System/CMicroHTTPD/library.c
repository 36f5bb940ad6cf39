#include "CMicroHTTPD.h"

#include <dlfcn.h>
#include <string.h>

struct option {
    int name;
    intptr_t value;
    void *pointer;
};

union information {
    int descriptor;
    void *context;
    size_t head_size;
    unsigned int status;
};

static const char *(*get_version)(void);
static int (*is_feature_supported)(int feature);
static struct MHD_Daemon *(*start_daemon)(
    unsigned int flags, uint16_t port, void *accept, void *accept_context, void *answer, void *answer_context, ...);
static void (*stop_daemon)(struct MHD_Daemon *);
static int (*add_connection)(struct MHD_Daemon *, int, const struct sockaddr *, socklen_t);
static void (*suspend_connection)(struct MHD_Connection *);
static void (*resume_connection)(struct MHD_Connection *);
static const union information *(*get_connection_info)(struct MHD_Connection *, int kind, ...);
static int (*get_connection_values)(struct MHD_Connection *, unsigned int kind, cmicrohttpd_field, void *);
static struct MHD_Response *(*create_response)(size_t, void *, int mode);
static int (*add_response_header)(struct MHD_Response *, const char *, const char *);
static int (*queue_response)(struct MHD_Connection *, unsigned int, struct MHD_Response *);
static void (*destroy_response)(struct MHD_Response *);

bool cmicrohttpd_load(const char *name) {
    // It is never closed.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    const struct {
        const char *name;
        void **place;
    } functions[] = {
        {"MHD_get_version", (void **)&get_version},
        {"MHD_is_feature_supported", (void **)&is_feature_supported},
        {"MHD_start_daemon", (void **)&start_daemon},
        {"MHD_stop_daemon", (void **)&stop_daemon},
        {"MHD_add_connection", (void **)&add_connection},
        {"MHD_suspend_connection", (void **)&suspend_connection},
        {"MHD_resume_connection", (void **)&resume_connection},
        {"MHD_get_connection_info", (void **)&get_connection_info},
        {"MHD_get_connection_values", (void **)&get_connection_values},
        {"MHD_create_response_from_buffer", (void **)&create_response},
        {"MHD_add_response_header", (void **)&add_response_header},
        {"MHD_queue_response", (void **)&queue_response},
        {"MHD_destroy_response", (void **)&destroy_response},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *function = dlsym(handle, functions[index].name);
        if (!function) return false;
        *functions[index].place = function;
    }
    return true;
}

const char *cmicrohttpd_version(void) {
    return get_version();
}

struct MHD_Daemon *cmicrohttpd_start(
    unsigned int threads, size_t memory, struct cmicrohttpd_callbacks callbacks, const char *certificate, const char *key,
    const char *priorities
) {
    unsigned int flags = CMICROHTTPD_USE_INTERNAL_POLLING_THREAD | CMICROHTTPD_USE_NO_LISTEN_SOCKET | CMICROHTTPD_USE_ITC
        | CMICROHTTPD_ALLOW_SUSPEND_RESUME;
    flags |= is_feature_supported(CMICROHTTPD_FEATURE_EPOLL) == CMICROHTTPD_YES ? CMICROHTTPD_USE_EPOLL : CMICROHTTPD_USE_POLL;
    struct option encryption[] = {
        {CMICROHTTPD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {CMICROHTTPD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {CMICROHTTPD_OPTION_HTTPS_PRIORITIES, 0, (void *)priorities},
        {CMICROHTTPD_OPTION_END, 0, NULL},
    };
    struct option pool[] = {
        {CMICROHTTPD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
        {CMICROHTTPD_OPTION_END, 0, NULL},
    };
    struct option none[] = {{CMICROHTTPD_OPTION_END, 0, NULL}};
    if (certificate != NULL) flags |= CMICROHTTPD_USE_TLS;
    return start_daemon(
        flags, 0, NULL, NULL, (void *)callbacks.answer, callbacks.context,
        CMICROHTTPD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
        CMICROHTTPD_OPTION_NOTIFY_COMPLETED, callbacks.complete, callbacks.context,
        CMICROHTTPD_OPTION_URI_LOG_CALLBACK, callbacks.begin, callbacks.context,
        CMICROHTTPD_OPTION_CONNECTION_LIMIT, 1u << 24,
        CMICROHTTPD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        CMICROHTTPD_OPTION_CONNECTION_TIMEOUT, 0u,
        // Since 0.9.76 a strict server refuses a bare LF in chunks; before, it only answers some requests itself.
        CMICROHTTPD_OPTION_STRICT_FOR_CLIENT, strncmp(get_version(), "0.9.", 4) == 0 ? 0 : 1,
        CMICROHTTPD_OPTION_ARRAY, threads > 1 ? pool : none,
        CMICROHTTPD_OPTION_ARRAY, certificate != NULL ? encryption : none,
        CMICROHTTPD_OPTION_END);
}

void cmicrohttpd_stop(struct MHD_Daemon *daemon) {
    stop_daemon(daemon);
}

bool cmicrohttpd_add_connection(struct MHD_Daemon *daemon, int descriptor, const struct sockaddr *address, socklen_t size) {
    return add_connection(daemon, descriptor, address, size) == CMICROHTTPD_YES;
}

void cmicrohttpd_suspend(struct MHD_Connection *connection) {
    suspend_connection(connection);
}

void cmicrohttpd_resume(struct MHD_Connection *connection) {
    resume_connection(connection);
}

int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
    const union information *found = get_connection_info(connection, CMICROHTTPD_INFO_CONNECTION_FD);
    return found == NULL ? -1 : found->descriptor;
}

void *cmicrohttpd_connection_context(struct MHD_Connection *connection) {
    const union information *found = get_connection_info(connection, CMICROHTTPD_INFO_SOCKET_CONTEXT);
    return found == NULL ? NULL : found->context;
}

size_t cmicrohttpd_head_size(struct MHD_Connection *connection) {
    const union information *found = get_connection_info(connection, CMICROHTTPD_INFO_REQUEST_HEADER_SIZE);
    return found == NULL ? 0 : found->head_size;
}

unsigned int cmicrohttpd_status(struct MHD_Connection *connection) {
    const union information *found = get_connection_info(connection, CMICROHTTPD_INFO_HTTP_STATUS);
    return found == NULL ? 0 : found->status;
}

void cmicrohttpd_each_field(struct MHD_Connection *connection, cmicrohttpd_field body, void *context) {
    (void)get_connection_values(connection, CMICROHTTPD_HEADER_KIND, body, context);
}

struct MHD_Response *cmicrohttpd_response(const void *bytes, size_t count) {
    return create_response(count, (void *)bytes, CMICROHTTPD_MUST_COPY);
}

bool cmicrohttpd_add_header(struct MHD_Response *response, const char *name, const char *value) {
    return add_response_header(response, name, value) == CMICROHTTPD_YES;
}

bool cmicrohttpd_queue(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    return queue_response(connection, status, response) == CMICROHTTPD_YES;
}

void cmicrohttpd_destroy(struct MHD_Response *response) {
    destroy_response(response);
}
