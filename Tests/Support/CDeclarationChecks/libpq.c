// A difference between Sources/System/CPostgreSQL and libpq's header, where that is installed, is an error of the compiler here.
#include "CDeclarationChecks.h"

#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#include <postgresql/postgres_ext.h>
#define HAS_HEADER
#elif __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#include <postgres_ext.h>
#define HAS_HEADER
#endif

#ifdef HAS_HEADER
#include <CPostgreSQL.h>

#define SAME_FUNCTION(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), __typeof__(result) parameters), #name);
CPOSTGRESQL_FUNCTIONS(SAME_FUNCTION)

#define SAME_NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs);
SAME_NUMBER(cpostgresql_connection_ok, CONNECTION_OK)
SAME_NUMBER(cpostgresql_connection_bad, CONNECTION_BAD)
SAME_NUMBER(cpostgresql_connection_started, CONNECTION_STARTED)
SAME_NUMBER(cpostgresql_connection_made, CONNECTION_MADE)
SAME_NUMBER(cpostgresql_connection_awaiting_response, CONNECTION_AWAITING_RESPONSE)
SAME_NUMBER(cpostgresql_connection_ssl_startup, CONNECTION_SSL_STARTUP)
SAME_NUMBER(cpostgresql_connection_needed, CONNECTION_NEEDED)
SAME_NUMBER(cpostgresql_polling_failed, PGRES_POLLING_FAILED)
SAME_NUMBER(cpostgresql_polling_reading, PGRES_POLLING_READING)
SAME_NUMBER(cpostgresql_polling_writing, PGRES_POLLING_WRITING)
SAME_NUMBER(cpostgresql_polling_ok, PGRES_POLLING_OK)
SAME_NUMBER(cpostgresql_empty_query, PGRES_EMPTY_QUERY)
SAME_NUMBER(cpostgresql_command_ok, PGRES_COMMAND_OK)
SAME_NUMBER(cpostgresql_tuples_ok, PGRES_TUPLES_OK)
SAME_NUMBER(cpostgresql_fatal_error, PGRES_FATAL_ERROR)
SAME_NUMBER(cpostgresql_single_tuple, PGRES_SINGLE_TUPLE)
SAME_NUMBER(cpostgresql_idle, PQTRANS_IDLE)
SAME_NUMBER(cpostgresql_in_transaction, PQTRANS_INTRANS)
SAME_NUMBER(cpostgresql_in_failed_transaction, PQTRANS_INERROR)
SAME_NUMBER(cpostgresql_errors_sqlstate, PQERRORS_SQLSTATE)
SAME_NUMBER(cpostgresql_field_sqlstate, PG_DIAG_SQLSTATE)

_Static_assert(sizeof(struct cpostgresql_option) == sizeof(PQconninfoOption), "PQconninfoOption");
#define SAME_FIELD(ours, theirs) \
    _Static_assert(offsetof(struct cpostgresql_option, ours) == offsetof(PQconninfoOption, theirs), #theirs); \
    _Static_assert( \
        __builtin_types_compatible_p( \
            __typeof__(((struct cpostgresql_option *)0)->ours), __typeof__(((PQconninfoOption *)0)->theirs)), \
        #theirs);
SAME_FIELD(keyword, keyword)
SAME_FIELD(environment, envvar)
SAME_FIELD(compiled, compiled)
SAME_FIELD(value, val)
SAME_FIELD(label, label)
SAME_FIELD(display, dispchar)
SAME_FIELD(size, dispsize)

bool declarations_had_libpq(void) {
    return true;
}
#else
bool declarations_had_libpq(void) {
    return false;
}
#endif
