// The callback that opens sockets for libcurl, to allowed addresses only.
#ifndef TASKVAULT_CCURL_ADDRESS_LIMITS_H
#define TASKVAULT_CCURL_ADDRESS_LIMITS_H

#include "CCurl.h"

/// curl_opensocket_callback; its context is a ccurl_reach.
int ccurl_open_socket(void *context, unsigned int purpose, struct ccurl_address *address);

#endif
