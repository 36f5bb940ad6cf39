#include "CLateSQLite.h"

#ifdef __linux__

// The executable's own, not exported: a library that is loaded later must not find them instead of SQLite's.
#define SQLITE_API __attribute__((visibility("hidden")))

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// As the dynamic linker ends a program whose library is missing.
static _Noreturn void fail(void) {
    const char *reason = dlerror();
    const char *parts[] = {"error: cannot load SQLite: ", reason ? reason : "unknown reason", "\n"};
    for (int part = 0; part < 3; part++) {
        if (write(STDERR_FILENO, parts[part], strlen(parts[part])) < 0) break;
    }
    _exit(127);
}

static void *find(const char *name) {
    // A second call returns the same library. It is never closed.
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) fail();
    return function;
}

// The function of the library, found at the first call: several threads may find it at the same time.
#define FOUND(name) \
    static void *found; \
    void *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE); \
    if (!function) { \
        function = find(#name); \
        __atomic_store_n(&found, function, __ATOMIC_RELEASE); \
    }

#define LATE(result, name, parameters, arguments) \
    result name parameters { \
        FOUND(name) \
        return ((result(*) parameters)function)arguments; \
    }

typedef int (*busy_handler)(void *, int);
typedef int (*row_reader)(void *, int, char **, char **);
typedef void (*destructor)(void *);

LATE(int, sqlite3_backup_finish, (sqlite3_backup *backup), (backup))
LATE(sqlite3_backup *, sqlite3_backup_init, (sqlite3 *to, const char *toName, sqlite3 *from, const char *fromName), (to, toName, from, fromName))
LATE(int, sqlite3_backup_step, (sqlite3_backup *backup, int pages), (backup, pages))
LATE(int, sqlite3_bind_blob64, (sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count, destructor end),
     (statement, index, bytes, count, end))
LATE(int, sqlite3_bind_int64, (sqlite3_stmt *statement, int index, sqlite3_int64 value), (statement, index, value))
LATE(int, sqlite3_bind_parameter_count, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_bind_parameter_index, (sqlite3_stmt *statement, const char *name), (statement, name))
LATE(int, sqlite3_bind_text64, (sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count, destructor end, unsigned char encoding),
     (statement, index, text, count, end, encoding))
LATE(int, sqlite3_bind_zeroblob, (sqlite3_stmt *statement, int index, int count), (statement, index, count))
LATE(int, sqlite3_busy_handler, (sqlite3 *database, busy_handler handler, void *context), (database, handler, context))
LATE(int, sqlite3_changes, (sqlite3 *database), (database))
LATE(int, sqlite3_clear_bindings, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_close_v2, (sqlite3 *database), (database))
LATE(const void *, sqlite3_column_blob, (sqlite3_stmt *statement, int column), (statement, column))
LATE(int, sqlite3_column_bytes, (sqlite3_stmt *statement, int column), (statement, column))
LATE(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *statement, int column), (statement, column))
LATE(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *statement, int column), (statement, column))
LATE(int, sqlite3_column_type, (sqlite3_stmt *statement, int column), (statement, column))
LATE(sqlite3 *, sqlite3_db_handle, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_db_readonly, (sqlite3 *database, const char *name), (database, name))
LATE(int, sqlite3_exec, (sqlite3 *database, const char *sql, row_reader reader, void *context, char **message), (database, sql, reader, context, message))
LATE(int, sqlite3_extended_errcode, (sqlite3 *database), (database))
LATE(int, sqlite3_file_control, (sqlite3 *database, const char *name, int operation, void *argument), (database, name, operation, argument))
LATE(int, sqlite3_finalize, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_get_autocommit, (sqlite3 *database), (database))
LATE(const char *, sqlite3_libversion, (void), ())
LATE(int, sqlite3_limit, (sqlite3 *database, int kind, int value), (database, kind, value))
LATE(int, sqlite3_open_v2, (const char *path, sqlite3 **database, int flags, const char *system), (path, database, flags, system))
LATE(int, sqlite3_prepare_v3,
     (sqlite3 *database, const char *sql, int count, unsigned int flags, sqlite3_stmt **statement, const char **rest),
     (database, sql, count, flags, statement, rest))
LATE(int, sqlite3_reset, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_step, (sqlite3_stmt *statement), (statement))
LATE(int, sqlite3_system_errno, (sqlite3 *database), (database))
LATE(int, sqlite3_wal_checkpoint_v2, (sqlite3 *database, const char *name, int mode, int *frames, int *done), (database, name, mode, frames, done))

void sqlite3_interrupt(sqlite3 *database) {
    FOUND(sqlite3_interrupt)
    ((void (*)(sqlite3 *))function)(database);
}

// CSQLite's shim.h calls the two variadic functions for switches alone.

int sqlite3_config(int setting, ...) {
    FOUND(sqlite3_config)
    va_list arguments;
    va_start(arguments, setting);
    int value = va_arg(arguments, int);
    va_end(arguments);
    return ((int (*)(int, ...))function)(setting, value);
}

int sqlite3_db_config(sqlite3 *database, int setting, ...) {
    FOUND(sqlite3_db_config)
    va_list arguments;
    va_start(arguments, setting);
    int value = va_arg(arguments, int);
    int *result = va_arg(arguments, int *);
    va_end(arguments);
    return ((int (*)(sqlite3 *, int, ...))function)(database, setting, value, result);
}

#endif
