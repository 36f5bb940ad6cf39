// Whether the declarations of Sources/System were compared with the libraries' own headers: there is one file for each library here. A
// difference is an error of the compiler. A library whose header is not installed is not compared. And what CCurl's allocator leaves in memory.
#ifndef TASKVAULT_CDECLARATIONCHECKS_H
#define TASKVAULT_CDECLARATIONCHECKS_H

#include <stdbool.h>

/// Whether this system has the headers of OpenSSL, and CCrypto was compared with them.
bool declarations_had_libcrypto(void);

/// Whether this system has the header of libcurl, and CCurl was compared with it.
bool declarations_had_libcurl(void);

/// Whether this system has the header of libfido2, and CFido2 was compared with it.
bool declarations_had_libfido2(void);

/// Whether this system has the header of libmicrohttpd, and CMicroHTTPD was compared with it.
bool declarations_had_libmicrohttpd(void);

/// Whether this system has the header of libpq, and CPostgreSQL was compared with it.
bool declarations_had_libpq(void);

/// Whether this system has the header of libqrencode, and CQREncode was compared with it.
bool declarations_had_libqrencode(void);

/// Whether this system has the header of libsystemd, and CSystemd was compared with it.
bool declarations_had_libsystemd(void);

/// The number of bytes that CCurl's allocator leaves in the memory that it frees, or -1 if it does not free what it should.
int curl_memory_left(void);

#endif
