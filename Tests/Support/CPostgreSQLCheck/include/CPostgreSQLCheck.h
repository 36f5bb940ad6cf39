// Whether what Sources/System/CPostgreSQL declares was held against libpq's own header.
#ifndef TASKVAULT_CPOSTGRESQLCHECK_H
#define TASKVAULT_CPOSTGRESQLCHECK_H

#include <stdbool.h>

/// Whether this system has the header. Then the comparison was compiled: a difference is an error of the compiler.
bool postgresql_check_had_header(void);

#endif
