// Whether what Sources/System/CFido2 declares was held against libfido2's own header.
#ifndef TASKVAULT_CFIDO2CHECK_H
#define TASKVAULT_CFIDO2CHECK_H

#include <stdbool.h>

/// Whether this system has the header. Then the comparison was compiled: a difference is an error of the compiler.
bool fido2_check_had_header(void);

#endif
