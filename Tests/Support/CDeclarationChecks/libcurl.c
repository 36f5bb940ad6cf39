// A difference between Sources/System/CCurl and libcurl's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<curl/curl.h>)
#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <CCurl.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) parameters), #name);
CCURL_FUNCTIONS(SAME_FUNCTION)

#define SAME_NUMBER(name, value) _Static_assert((long)(value) == (long)(CURL##name), #name);
CCURL_OPTIONS(SAME_NUMBER)
_Static_assert(CCURL_SOCKET_BAD == CURL_SOCKET_BAD, "CURL_SOCKET_BAD");
_Static_assert(sizeof(curl_off_t) == sizeof(int64_t), "curl_off_t");
_Static_assert(__builtin_types_compatible_p(curl_socket_t, int), "curl_socket_t");

// The callbacks: what libcurl calls, and what is handed to it.
_Static_assert(__builtin_types_compatible_p(curl_write_callback, ccurl_data_callback), "curl_write_callback");
_Static_assert(__builtin_types_compatible_p(curl_read_callback, ccurl_data_callback), "curl_read_callback");
_Static_assert(
    __builtin_types_compatible_p(
        curl_opensocket_callback, curl_socket_t (*)(void *, curlsocktype, struct curl_sockaddr *)), "curl_opensocket_callback");
_Static_assert(__builtin_types_compatible_p(curlsocktype, unsigned int), "curlsocktype");
_Static_assert(
    __builtin_types_compatible_p(curl_ssl_ctx_callback, unsigned int (*)(void *, void *, void *)), "curl_ssl_ctx_callback");

#define SAME_FIELD(our_type, ours, their_type, theirs) \
    _Static_assert(offsetof(our_type, ours) == offsetof(their_type, theirs), #theirs); \
    _Static_assert( \
        __builtin_types_compatible_p(__typeof__(((our_type *)0)->ours), __typeof__(((their_type *)0)->theirs)), #theirs);
_Static_assert(sizeof(struct ccurl_address) == sizeof(struct curl_sockaddr), "curl_sockaddr");
SAME_FIELD(struct ccurl_address, family, struct curl_sockaddr, family)
SAME_FIELD(struct ccurl_address, type, struct curl_sockaddr, socktype)
SAME_FIELD(struct ccurl_address, protocol, struct curl_sockaddr, protocol)
SAME_FIELD(struct ccurl_address, size, struct curl_sockaddr, addrlen)
SAME_FIELD(struct ccurl_address, address, struct curl_sockaddr, addr)
_Static_assert(sizeof(struct ccurl_bytes) == sizeof(struct curl_blob), "curl_blob");
SAME_FIELD(struct ccurl_bytes, data, struct curl_blob, data)
SAME_FIELD(struct ccurl_bytes, count, struct curl_blob, len)
SAME_FIELD(struct ccurl_bytes, flags, struct curl_blob, flags)
_Static_assert(sizeof(struct ccurl_wait) == sizeof(struct curl_waitfd), "curl_waitfd");
SAME_FIELD(struct ccurl_wait, descriptor, struct curl_waitfd, fd)
SAME_FIELD(struct ccurl_wait, events, struct curl_waitfd, events)
SAME_FIELD(struct ccurl_wait, found, struct curl_waitfd, revents)
_Static_assert(sizeof(struct ccurl_message) == sizeof(CURLMsg), "CURLMsg");
SAME_FIELD(struct ccurl_message, message, CURLMsg, msg)
SAME_FIELD(struct ccurl_message, handle, CURLMsg, easy_handle)
SAME_FIELD(struct ccurl_message, data.result, CURLMsg, data.result)
SAME_FIELD(struct ccurl_version, features, curl_version_info_data, features)
SAME_FIELD(struct ccurl_version, tls, curl_version_info_data, ssl_version)

bool declarations_had_libcurl(void) {
    return true;
}
#else
bool declarations_had_libcurl(void) {
    return false;
}
#endif
