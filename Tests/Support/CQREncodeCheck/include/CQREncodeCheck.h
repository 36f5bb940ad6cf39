// Whether what Sources/System/CQREncode declares was held against libqrencode's own header.
#ifndef TASKVAULT_CQRENCODECHECK_H
#define TASKVAULT_CQRENCODECHECK_H

#include <stdbool.h>

/// Whether this system has the header. Then the comparison was compiled: a difference is an error of the compiler.
bool qrencode_check_had_header(void);

#endif
