// A difference between Sources/System/CMicroHTTPD and libmicrohttpd's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>
#include <CMicroHTTPD.h>
#include <CMicroHTTPDNumbers.h>

#define SAME_FUNCTION(name, type) _Static_assert(__builtin_types_compatible_p(__typeof__(name), type), #name);
SAME_FUNCTION(MHD_get_version, const char *(void))
SAME_FUNCTION(MHD_is_feature_supported, enum MHD_Result(enum MHD_FEATURE))
SAME_FUNCTION(
    MHD_start_daemon,
    struct MHD_Daemon *(unsigned int, uint16_t, MHD_AcceptPolicyCallback, void *, MHD_AccessHandlerCallback, void *, ...))
SAME_FUNCTION(MHD_stop_daemon, void(struct MHD_Daemon *))
SAME_FUNCTION(MHD_add_connection, enum MHD_Result(struct MHD_Daemon *, int, const struct sockaddr *, socklen_t))
SAME_FUNCTION(MHD_suspend_connection, void(struct MHD_Connection *))
SAME_FUNCTION(MHD_resume_connection, void(struct MHD_Connection *))
SAME_FUNCTION(
    MHD_get_connection_info, const union MHD_ConnectionInfo *(struct MHD_Connection *, enum MHD_ConnectionInfoType, ...))
SAME_FUNCTION(MHD_get_connection_values, int(struct MHD_Connection *, enum MHD_ValueKind, MHD_KeyValueIterator, void *))
SAME_FUNCTION(MHD_create_response_from_buffer, struct MHD_Response *(size_t, void *, enum MHD_ResponseMemoryMode))
SAME_FUNCTION(MHD_add_response_header, enum MHD_Result(struct MHD_Response *, const char *, const char *))
SAME_FUNCTION(MHD_queue_response, enum MHD_Result(struct MHD_Connection *, unsigned int, struct MHD_Response *))
SAME_FUNCTION(MHD_destroy_response, void(struct MHD_Response *))

// The callbacks: what libmicrohttpd calls, and what is handed to it. Each enumeration is an int or an unsigned int.
#define SAME_TYPE(name, type) _Static_assert(__builtin_types_compatible_p(name, type), #name);
SAME_TYPE(
    MHD_AccessHandlerCallback,
    enum MHD_Result (*)(
        void *, struct MHD_Connection *, const char *, const char *, const char *, const char *, size_t *, void **))
SAME_TYPE(
    MHD_RequestCompletedCallback, void (*)(void *, struct MHD_Connection *, void **, enum MHD_RequestTerminationCode))
SAME_TYPE(
    MHD_NotifyConnectionCallback, void (*)(void *, struct MHD_Connection *, void **, enum MHD_ConnectionNotificationCode))
SAME_TYPE(MHD_KeyValueIterator, enum MHD_Result (*)(void *, enum MHD_ValueKind, const char *, const char *))
_Static_assert(sizeof(enum MHD_Result) == sizeof(enum cmicrohttpd_result), "MHD_Result");
_Static_assert(sizeof(enum MHD_ValueKind) == sizeof(unsigned int), "MHD_ValueKind");
_Static_assert(sizeof(enum MHD_RequestTerminationCode) == sizeof(unsigned int), "MHD_RequestTerminationCode");
_Static_assert(sizeof(enum MHD_ConnectionNotificationCode) == sizeof(unsigned int), "MHD_ConnectionNotificationCode");
_Static_assert(sizeof(MHD_socket) == sizeof(int), "MHD_socket");
_Static_assert(sizeof(struct MHD_OptionItem) == 3 * sizeof(void *), "MHD_OptionItem");
_Static_assert(offsetof(struct MHD_OptionItem, value) == sizeof(void *), "value");
_Static_assert(offsetof(struct MHD_OptionItem, ptr_value) == 2 * sizeof(void *), "ptr_value");

#define SAME_NUMBER(name) _Static_assert((long)CMICROHTTPD_##name == (long)MHD_##name, #name);
#define SAME_INFORMATION(name) \
    _Static_assert((long)CMICROHTTPD_INFO_##name == (long)MHD_CONNECTION_INFO_##name, #name);
SAME_NUMBER(NO)
SAME_NUMBER(YES)
SAME_NUMBER(USE_TLS)
SAME_NUMBER(USE_INTERNAL_POLLING_THREAD)
SAME_NUMBER(USE_POLL)
SAME_NUMBER(USE_EPOLL)
SAME_NUMBER(USE_ITC)
SAME_NUMBER(USE_NO_LISTEN_SOCKET)
SAME_NUMBER(ALLOW_SUSPEND_RESUME)
SAME_NUMBER(FEATURE_EPOLL)
SAME_NUMBER(OPTION_END)
SAME_NUMBER(OPTION_CONNECTION_MEMORY_LIMIT)
SAME_NUMBER(OPTION_CONNECTION_LIMIT)
SAME_NUMBER(OPTION_CONNECTION_TIMEOUT)
SAME_NUMBER(OPTION_NOTIFY_COMPLETED)
SAME_NUMBER(OPTION_URI_LOG_CALLBACK)
SAME_NUMBER(OPTION_HTTPS_MEM_KEY)
SAME_NUMBER(OPTION_HTTPS_MEM_CERT)
SAME_NUMBER(OPTION_THREAD_POOL_SIZE)
SAME_NUMBER(OPTION_ARRAY)
SAME_NUMBER(OPTION_HTTPS_PRIORITIES)
SAME_NUMBER(OPTION_NOTIFY_CONNECTION)
SAME_NUMBER(HEADER_KIND)
SAME_INFORMATION(CONNECTION_FD)
SAME_INFORMATION(SOCKET_CONTEXT)
SAME_INFORMATION(REQUEST_HEADER_SIZE)
SAME_INFORMATION(HTTP_STATUS)
_Static_assert((int)CMICROHTTPD_MUST_COPY == (int)MHD_RESPMEM_MUST_COPY, "MHD_RESPMEM_MUST_COPY");
_Static_assert((int)CMICROHTTPD_CONNECTION_STARTED == (int)MHD_CONNECTION_NOTIFY_STARTED, "STARTED");
_Static_assert((int)CMICROHTTPD_CONNECTION_CLOSED == (int)MHD_CONNECTION_NOTIFY_CLOSED, "CLOSED");
_Static_assert((int)CMICROHTTPD_REQUEST_COMPLETED == (int)MHD_REQUEST_TERMINATED_COMPLETED_OK, "COMPLETED_OK");

bool declarations_had_libmicrohttpd(void) {
    return true;
}
#else
bool declarations_had_libmicrohttpd(void) {
    return false;
}
#endif
