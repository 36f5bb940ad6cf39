#ifndef TASKVAULT_CBAREHTTPSERVER_H
#define TASKVAULT_CBAREHTTPSERVER_H

#include <stddef.h>
#include <stdint.h>

/// Starts libmicrohttpd by itself with so many threads that poll, answering each request with the same constant, and accepts connections on
/// 127.0.0.1 in a thread of its own until the process ends. Connections are dealt out evenly, as the product does it, too.
///
/// `fields` are names and values in turn, and a NULL. Returns the port, or -1.
int bare_http_server_start(
    unsigned int threads, const char *const *fields, const void *body, size_t size);

#endif
