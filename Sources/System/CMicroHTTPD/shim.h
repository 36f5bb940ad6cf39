// libmicrohttpd, and wrappers for the parts that Swift cannot call: variadic functions, and enumerations that are declared closed.
#ifndef TASKVAULT_CMICROHTTPD_SHIM_H
#define TASKVAULT_CMICROHTTPD_SHIM_H

#include <stddef.h>

#include <microhttpd.h>

/// The callbacks of a daemon, each with its `context`.
struct cmicrohttpd_callbacks {
    MHD_AccessHandlerCallback answer;
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback complete;
    MHD_NotifyConnectionCallback connection;
    void *context;
};

/// MHD_start_daemon() without a listening socket, with `threads` polling threads. Plain HTTP if `certificate` is NULL. The library's own
/// connection limit must never be reached, because there it forgets to unlock a mutex (0.9.75); the caller counts connections.
static inline struct MHD_Daemon *cmicrohttpd_start(
    unsigned int threads, size_t memory, struct cmicrohttpd_callbacks callbacks,
    const char *certificate, const char *key, const char *priorities
) {
    unsigned int flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC
        | MHD_ALLOW_SUSPEND_RESUME;
    flags |= MHD_is_feature_supported(MHD_FEATURE_EPOLL) == MHD_YES ? MHD_USE_EPOLL : MHD_USE_POLL;
    struct MHD_OptionItem encryption[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem pool[] = {
        {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (certificate != NULL) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks.answer, callbacks.context,
        MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
        MHD_OPTION_NOTIFY_COMPLETED, callbacks.complete, callbacks.context,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks.begin, callbacks.context,
        MHD_OPTION_CONNECTION_LIMIT, 1u << 24,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_ARRAY, threads > 1 ? pool : none,
        MHD_OPTION_ARRAY, certificate != NULL ? encryption : none,
        MHD_OPTION_END);
}

/// The socket of a connection.
static inline int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// The pointer stored for a connection at its start, or NULL.
static inline void *cmicrohttpd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The size of a request's head, from its method to its empty line; 0 before it is read.
static inline size_t cmicrohttpd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// The status of the response, also of one that the library generated; 0 without a response.
static inline unsigned int cmicrohttpd_status(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info
        = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info == NULL ? 0 : info->http_status;
}

/// MHD_get_connection_values() of the header fields.
static inline void cmicrohttpd_each_field(
    struct MHD_Connection *connection, MHD_KeyValueIterator body, void *context
) {
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, body, context);
}

/// MHD_create_response_from_buffer() of a copy.
static inline struct MHD_Response *cmicrohttpd_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

#endif
