// The used part of libpq, as declared by <libpq-fe.h>; that header need not be installed. Nothing is linked: the library is loaded on
// demand, so neither the build nor the start needs it. Tests/Support/CDeclarationChecks compares this file with the real header.
#ifndef TASKVAULT_CPOSTGRESQL_H
#define TASKVAULT_CPOSTGRESQL_H

#include <stddef.h>

// libpq's own tags: PGconn, PGresult, PQconninfoOption and PGnotify.
struct pg_conn;
struct pg_result;
struct _PQconninfoOption;
struct pgNotify;

/// EACH(result, name, parameters) for all functions. Enumerations are integers here; `unsigned int` is also libpq's Oid.
#define CPOSTGRESQL_FUNCTIONS(EACH) \
    EACH(struct _PQconninfoOption *_Nullable, PQconninfoParse, \
         (const char *_Nonnull address, char *_Nullable *_Nullable message)) \
    EACH(void, PQconninfoFree, (struct _PQconninfoOption *_Nullable)) \
    EACH(void, PQfreemem, (void *_Nullable)) \
    EACH(struct pg_conn *_Nullable, PQconnectStart, (const char *_Nonnull parameters)) \
    EACH(unsigned int, PQconnectPoll, (struct pg_conn *_Nonnull)) \
    EACH(unsigned int, PQstatus, (const struct pg_conn *_Nullable)) \
    EACH(unsigned int, PQtransactionStatus, (const struct pg_conn *_Nullable)) \
    EACH(char *_Nullable, PQerrorMessage, (const struct pg_conn *_Nullable)) \
    EACH(int, PQsocket, (const struct pg_conn *_Nullable)) \
    EACH(int, PQbackendPID, (const struct pg_conn *_Nullable)) \
    EACH(int, PQsslInUse, (struct pg_conn *_Nullable)) \
    EACH(int, PQconnectionNeedsPassword, (const struct pg_conn *_Nullable)) \
    EACH(unsigned int, PQsetErrorVerbosity, (struct pg_conn *_Nonnull, unsigned int verbosity)) \
    EACH(cpostgresql_notice_receiver _Nullable, PQsetNoticeReceiver, \
         (struct pg_conn *_Nonnull, cpostgresql_notice_receiver _Nullable, void *_Nullable context)) \
    EACH(int, PQsetnonblocking, (struct pg_conn *_Nonnull, int)) \
    EACH(void, PQfinish, (struct pg_conn *_Nullable)) \
    EACH(int, PQsendQuery, (struct pg_conn *_Nonnull, const char *_Nonnull sql)) \
    EACH(int, PQsendPrepare, \
         (struct pg_conn *_Nonnull, const char *_Nonnull name, const char *_Nonnull sql, int count, \
          const unsigned int *_Nullable types)) \
    EACH(int, PQsendQueryParams, \
         (struct pg_conn *_Nonnull, const char *_Nonnull sql, int count, const unsigned int *_Nullable types, \
          const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats, \
          int resultFormat)) \
    EACH(int, PQsendQueryPrepared, \
         (struct pg_conn *_Nonnull, const char *_Nonnull name, int count, \
          const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats, \
          int resultFormat)) \
    EACH(int, PQsetSingleRowMode, (struct pg_conn *_Nonnull)) \
    EACH(int, PQflush, (struct pg_conn *_Nonnull)) \
    EACH(int, PQconsumeInput, (struct pg_conn *_Nonnull)) \
    EACH(int, PQisBusy, (struct pg_conn *_Nonnull)) \
    EACH(struct pgNotify *_Nullable, PQnotifies, (struct pg_conn *_Nonnull)) \
    EACH(struct pg_result *_Nullable, PQgetResult, (struct pg_conn *_Nonnull)) \
    EACH(unsigned int, PQresultStatus, (const struct pg_result *_Nullable)) \
    EACH(char *_Nullable, PQresultErrorField, (const struct pg_result *_Nullable, int field)) \
    EACH(char *_Nullable, PQcmdStatus, (struct pg_result *_Nullable)) \
    EACH(char *_Nullable, PQcmdTuples, (struct pg_result *_Nullable)) \
    EACH(int, PQntuples, (const struct pg_result *_Nullable)) \
    EACH(int, PQnfields, (const struct pg_result *_Nullable)) \
    EACH(unsigned int, PQftype, (const struct pg_result *_Nullable, int column)) \
    EACH(int, PQfformat, (const struct pg_result *_Nullable, int column)) \
    EACH(int, PQgetisnull, (const struct pg_result *_Nullable, int row, int column)) \
    EACH(int, PQgetlength, (const struct pg_result *_Nullable, int row, int column)) \
    EACH(char *_Nullable, PQgetvalue, (const struct pg_result *_Nullable, int row, int column)) \
    EACH(void, PQclear, (struct pg_result *_Nullable))

/// Receives the server's notices.
typedef void (*cpostgresql_notice_receiver)(void *_Nullable context, const struct pg_result *_Nullable);

/// The functions of a loaded library.
struct cpostgresql_library {
#define CPOSTGRESQL_FIELD(result, name, parameters) result (*_Nonnull name) parameters;
    CPOSTGRESQL_FUNCTIONS(CPOSTGRESQL_FIELD)
#undef CPOSTGRESQL_FIELD
};

/// Loads a library permanently, by a name for dlopen(3); NULL if it is missing or lacks a function. Thread-safe.
const struct cpostgresql_library *_Nullable cpostgresql_load(const char *_Nonnull name);

/// A parameter of a parsed address: PQconninfoOption. The last one has no keyword.
struct cpostgresql_option {
    char *_Nullable keyword;
    char *_Nullable environment;
    char *_Nullable compiled;
    char *_Nullable value;
    char *_Nullable label;
    char *_Nullable display;
    int size;
};

/// The parameters that PQconninfoParse found.
static inline const struct cpostgresql_option *_Nonnull cpostgresql_options(const struct _PQconninfoOption *_Nonnull options) {
    return (const struct cpostgresql_option *)options;
}

/// Discards the server's notices; without a receiver libpq prints them.
void cpostgresql_ignore_notice(void *_Nullable context, const struct pg_result *_Nullable);

/// The used values of libpq's enumerations and fields.
enum {
    cpostgresql_connection_ok = 0,
    cpostgresql_connection_bad = 1,
    cpostgresql_connection_started = 2,
    cpostgresql_connection_made = 3,
    cpostgresql_connection_awaiting_response = 4,
    cpostgresql_connection_ssl_startup = 7,
    cpostgresql_connection_needed = 8,
    cpostgresql_polling_failed = 0,
    cpostgresql_polling_reading = 1,
    cpostgresql_polling_writing = 2,
    cpostgresql_polling_ok = 3,
    cpostgresql_empty_query = 0,
    cpostgresql_command_ok = 1,
    cpostgresql_tuples_ok = 2,
    cpostgresql_fatal_error = 7,
    cpostgresql_single_tuple = 9,
    cpostgresql_idle = 0,
    cpostgresql_in_transaction = 2,
    cpostgresql_in_failed_transaction = 3,
    cpostgresql_errors_sqlstate = 3,
    cpostgresql_field_sqlstate = 'C',
};

#endif
