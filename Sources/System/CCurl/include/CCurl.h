// The used part of libcurl, as declared by <curl/curl.h>; that header need not be installed. Nothing is linked: the library is loaded on
// demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CCURL_H
#define TASKVAULT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// libcurl's own tags.
struct curl_slist;
struct curl_waitfd;
struct CURLMsg;
struct curl_version_info_data;

/// Gets a piece of a head or of content, and returns the number of accepted bytes; a lower number ends the transfer. Also supplies content
/// to send.
typedef size_t (*ccurl_data_callback)(char *_Nonnull bytes, size_t size, size_t count, void *_Nullable context);

/// EACH(result, name, parameters) for all functions. Enumerations are integers here, and a handle is a pointer as in libcurl.
#define CCURL_FUNCTIONS(EACH) \
    EACH(unsigned int, curl_global_init_mem, \
         (long flags, void *_Nullable (*_Nonnull)(size_t), void (*_Nonnull)(void *_Nullable), \
          void *_Nullable (*_Nonnull)(void *_Nullable, size_t), char *_Nullable (*_Nonnull)(const char *_Nonnull), \
          void *_Nullable (*_Nonnull)(size_t, size_t))) \
    EACH(struct curl_version_info_data *_Nullable, curl_version_info, (unsigned int)) \
    EACH(void *_Nullable, curl_easy_init, (void)) \
    EACH(void, curl_easy_cleanup, (void *_Nonnull)) \
    EACH(unsigned int, curl_easy_setopt, (void *_Nonnull, unsigned int option, ...)) \
    EACH(unsigned int, curl_easy_getinfo, (void *_Nonnull, unsigned int info, ...)) \
    EACH(void *_Nullable, curl_multi_init, (void)) \
    EACH(int, curl_multi_cleanup, (void *_Nonnull)) \
    EACH(int, curl_multi_add_handle, (void *_Nonnull, void *_Nonnull handle)) \
    EACH(int, curl_multi_remove_handle, (void *_Nonnull, void *_Nonnull handle)) \
    EACH(int, curl_multi_perform, (void *_Nonnull, int *_Nonnull running)) \
    EACH(int, curl_multi_poll, \
         (void *_Nonnull, struct curl_waitfd *_Nullable, unsigned int count, int milliseconds, int *_Nullable ready)) \
    EACH(struct CURLMsg *_Nullable, curl_multi_info_read, (void *_Nonnull, int *_Nonnull left)) \
    EACH(struct curl_slist *_Nullable, curl_slist_append, (struct curl_slist *_Nullable, const char *_Nonnull)) \
    EACH(void, curl_slist_free_all, (struct curl_slist *_Nullable))

/// A loaded library.
struct ccurl_library;

/// Loads a library permanently, by a name for dlopen(3), and initializes it; NULL if it is missing, lacks a function or has no TLS. Once
/// per process, because libcurl's allocator is global: from then on memory is zeroed before it is freed. Removes SSLKEYLOGFILE from the
/// environment, because libcurl and OpenSSL would write session keys to that file.
const struct ccurl_library *_Nullable ccurl_load(const char *_Nonnull name);

/// Whether its TLS is OpenSSL or LibreSSL, which share the numbers of certificate errors.
bool ccurl_has_openssl(const struct ccurl_library *_Nonnull);

/// The number of failed allocations in libcurl.
uint64_t ccurl_failed_allocations(void);

/// A handle for one transfer, with its buffers.
void *_Nullable ccurl_new(const struct ccurl_library *_Nonnull);
void ccurl_free(const struct ccurl_library *_Nonnull, void *_Nonnull handle);

/// Connections that stay open between transfers. Use them from one thread at a time.
void *_Nullable ccurl_new_connections(const struct ccurl_library *_Nonnull);
void ccurl_free_connections(const struct ccurl_library *_Nonnull, void *_Nonnull connections);

/// Performs a whole transfer, as curl_easy_perform does, without SIGPIPE. The transfer is aborted when the descriptor `stop` is readable;
/// -1 for none.
unsigned int ccurl_perform(
    const struct ccurl_library *_Nonnull, void *_Nonnull connections, void *_Nonnull handle, int stop);

/// curl_easy_setopt, for each type of its third parameter.
unsigned int ccurl_set_number(const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, long value);
unsigned int ccurl_set_size(const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, int64_t value);
unsigned int ccurl_set_text(
    const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, const char *_Nullable value);
unsigned int ccurl_set_list(
    const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, struct curl_slist *_Nullable value);
/// Copies the bytes.
unsigned int ccurl_set_bytes(
    const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, const void *_Nonnull bytes, size_t count);
/// Sets the option of a function and that of its context.
unsigned int ccurl_set_callback(
    const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int option, ccurl_data_callback _Nonnull callback,
    unsigned int contextOption, void *_Nullable context);

/// curl_easy_getinfo, for numbers, sizes and texts; 0 or NULL without a result.
long ccurl_number(const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int info);
int64_t ccurl_size(const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int info);
const char *_Nullable ccurl_text(const struct ccurl_library *_Nonnull, void *_Nonnull handle, unsigned int info);

struct curl_slist *_Nullable ccurl_append(
    const struct ccurl_library *_Nonnull, struct curl_slist *_Nullable list, const char *_Nonnull text);
void ccurl_free_list(const struct ccurl_library *_Nonnull, struct curl_slist *_Nullable list);

/// The allowed destinations of connections.
struct ccurl_reach {
    /// Only this machine, regardless of name resolution.
    bool only_loopback;
    /// Only addresses of the public Internet, regardless of name resolution.
    bool only_public;
    /// Whether an address was rejected for one of these reasons.
    bool did_refuse;
};

/// Opens sockets close-on-exec, and only for allowed destinations. The argument must outlive the transfer.
unsigned int ccurl_set_reach(const struct ccurl_library *_Nonnull, void *_Nonnull handle, struct ccurl_reach *_Nonnull reach);

/// Makes OpenSSL overwrite decrypted data once it is read; does nothing with another TLS library.
unsigned int ccurl_set_cleansing(const struct ccurl_library *_Nonnull, void *_Nonnull handle);

/// Whether an address is a loopback address: 127.0.0.0/8 or ::1.
bool ccurl_is_loopback(const struct sockaddr *_Nonnull address, socklen_t size);

/// Whether an address is public: globally reachable unicast by IANA's special-purpose registries (RFC 6890), also if an IPv6 address
/// contains an IPv4 address.
bool ccurl_is_public(const struct sockaddr *_Nonnull address, socklen_t size);

/// curl_sockaddr.
struct ccurl_address {
    int family;
    int type;
    int protocol;
    unsigned int size;
    struct sockaddr address;
};

/// curl_blob.
struct ccurl_bytes {
    void *_Nullable data;
    size_t count;
    unsigned int flags;
};

/// The beginning of curl_version_info_data.
struct ccurl_version {
    unsigned int age;
    const char *_Nullable version;
    unsigned int number;
    const char *_Nullable host;
    int features;
    const char *_Nullable tls;
};

/// curl_waitfd.
struct ccurl_wait {
    int descriptor;
    short events;
    short found;
};

/// CURLMsg.
struct ccurl_message {
    unsigned int message;
    void *_Nullable handle;
    union {
        void *_Nullable whatever;
        unsigned int result;
    } data;
};

#include "CCurlNumbers.h"

#endif
