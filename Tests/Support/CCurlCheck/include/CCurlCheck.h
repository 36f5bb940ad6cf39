// Whether what Sources/System/CCurl declares was held against libcurl's own header.
#ifndef TASKVAULT_CCURLCHECK_H
#define TASKVAULT_CCURLCHECK_H

#include <stdbool.h>

/// Whether this system has the header. Then the comparison was compiled: a difference is an error of the compiler.
bool curl_check_had_header(void);

#endif
