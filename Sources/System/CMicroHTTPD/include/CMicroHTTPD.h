// The used part of libmicrohttpd, as declared by <microhttpd.h>; that header need not be installed. Nothing is linked: the library is loaded
// by the programs that serve HTTP, so no other start pays for it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CMICROHTTPD_H
#define TASKVAULT_CMICROHTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "CMicroHTTPDNumbers.h"

struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

/// MHD_Result.
enum cmicrohttpd_result { CMICROHTTPD_NO = 0, CMICROHTTPD_YES = 1 };
/// MHD_CONNECTION_NOTIFY_STARTED and MHD_CONNECTION_NOTIFY_CLOSED.
enum { CMICROHTTPD_CONNECTION_STARTED = 0, CMICROHTTPD_CONNECTION_CLOSED = 1 };
/// MHD_REQUEST_TERMINATED_COMPLETED_OK.
enum { CMICROHTTPD_REQUEST_COMPLETED = 0 };

/// The callbacks of a daemon, each with its `context`.
struct cmicrohttpd_callbacks {
    /// MHD_AccessHandlerCallback.
    enum cmicrohttpd_result (*_Nonnull answer)(
        void *_Nullable context, struct MHD_Connection *_Nullable connection, const char *_Nullable path, const char *_Nullable method,
        const char *_Nullable version, const char *_Nullable content, size_t *_Nullable size, void *_Nullable *_Nullable slot);
    /// The callback of MHD_OPTION_URI_LOG_CALLBACK.
    void *_Nullable (*_Nonnull begin)(
        void *_Nullable context, const char *_Nullable target, struct MHD_Connection *_Nullable connection);
    /// MHD_RequestCompletedCallback.
    void (*_Nonnull complete)(
        void *_Nullable context, struct MHD_Connection *_Nullable connection, void *_Nullable *_Nullable slot, unsigned int code);
    /// MHD_NotifyConnectionCallback.
    void (*_Nonnull connection)(
        void *_Nullable context, struct MHD_Connection *_Nullable connection, void *_Nullable *_Nullable slot, unsigned int code);
    void *_Nullable context;
};

/// MHD_KeyValueIterator.
typedef enum cmicrohttpd_result (*cmicrohttpd_field)(
    void *_Nullable context, unsigned int kind, const char *_Nullable name, const char *_Nullable value);

/// Loads the library permanently, by a name for dlopen(3). Call it once, before every other function; false if the library is missing or lacks
/// a function.
bool cmicrohttpd_load(const char *_Nonnull name);

/// MHD_get_version().
const char *_Nonnull cmicrohttpd_version(void);

/// MHD_start_daemon() without a listening socket, with `threads` polling threads. Plain HTTP if `certificate` is NULL. The library's own
/// connection limit must never be reached, because there it forgets to unlock a mutex (0.9.75); the caller counts connections.
struct MHD_Daemon *_Nullable cmicrohttpd_start(
    unsigned int threads, size_t memory, struct cmicrohttpd_callbacks callbacks, const char *_Nullable certificate, const char *_Nullable key,
    const char *_Nullable priorities);

/// MHD_stop_daemon().
void cmicrohttpd_stop(struct MHD_Daemon *_Nonnull daemon);

/// MHD_add_connection().
bool cmicrohttpd_add_connection(
    struct MHD_Daemon *_Nonnull daemon, int descriptor, const struct sockaddr *_Nonnull address, socklen_t size);

/// MHD_suspend_connection().
void cmicrohttpd_suspend(struct MHD_Connection *_Nonnull connection);

/// MHD_resume_connection().
void cmicrohttpd_resume(struct MHD_Connection *_Nonnull connection);

/// The socket of a connection.
int cmicrohttpd_descriptor(struct MHD_Connection *_Nonnull connection);

/// The pointer stored for a connection at its start, or NULL.
void *_Nullable cmicrohttpd_connection_context(struct MHD_Connection *_Nonnull connection);

/// The size of a request's head, from its method to its empty line; 0 before it is read.
size_t cmicrohttpd_head_size(struct MHD_Connection *_Nonnull connection);

/// The status of the response, also of one that the library generated; 0 without a response.
unsigned int cmicrohttpd_status(struct MHD_Connection *_Nonnull connection);

/// MHD_get_connection_values() of the header fields.
void cmicrohttpd_each_field(
    struct MHD_Connection *_Nonnull connection, cmicrohttpd_field _Nonnull body, void *_Nullable context);

/// MHD_create_response_from_buffer() of a copy.
struct MHD_Response *_Nullable cmicrohttpd_response(const void *_Nullable bytes, size_t count);

/// MHD_add_response_header().
bool cmicrohttpd_add_header(struct MHD_Response *_Nonnull response, const char *_Nonnull name, const char *_Nonnull value);

/// MHD_queue_response().
bool cmicrohttpd_queue(struct MHD_Connection *_Nonnull connection, unsigned int status, struct MHD_Response *_Nonnull response);

/// MHD_destroy_response().
void cmicrohttpd_destroy(struct MHD_Response *_Nonnull response);

#endif
