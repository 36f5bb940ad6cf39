// Whether what Sources/System/CCrypto declares was held against libcrypto's own headers.
#ifndef TASKVAULT_CCRYPTOCHECK_H
#define TASKVAULT_CCRYPTOCHECK_H

#include <stdbool.h>

/// Whether this system has the headers. Then the comparison was compiled: a difference is an error of the compiler.
bool crypto_check_had_header(void);

#endif
