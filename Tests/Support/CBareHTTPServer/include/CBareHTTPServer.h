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

/// Has each answer of a server that starts later read a row of an SQLite file before: the second statement for one of the keys that the first
/// one finds, of 32 bytes each, on a connection of each thread, after a look whether the file was replaced. The texts must stay.
///
/// Returns 0, or -1 if there is no key.
int bare_http_server_read_first(
    const char *path, const char *key_selection, const char *row_selection);

#endif
