// The callback that opens sockets for libcurl.
#ifndef TASKVAULT_CCURL_REACH_H
#define TASKVAULT_CCURL_REACH_H

#include "CCurl.h"

/// curl_opensocket_callback; its context is a ccurl_reach.
int ccurl_open_socket(void *context, unsigned int purpose, struct ccurl_address *address);

#endif
