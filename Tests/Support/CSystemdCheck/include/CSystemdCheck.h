// Whether what Sources/System/CSystemd declares was held against libsystemd's own header.
#ifndef TASKVAULT_CSYSTEMDCHECK_H
#define TASKVAULT_CSYSTEMDCHECK_H

#include <stdbool.h>

/// Whether this system has the header. Then the comparison was compiled: a difference is an error of the compiler.
bool systemd_check_had_header(void);

#endif
