// SQLite, and wrappers for the parts that Swift cannot call: variadic functions, and macros with cast pointers.
#ifndef TASKVAULT_CSQLITE_SHIM_H
#define TASKVAULT_CSQLITE_SHIM_H

#include <sqlite3.h>

/// sqlite3_db_config(), which is variadic, for settings that are switches.
static inline int csqlite_set_switch(sqlite3 *database, int setting, int value) {
    return sqlite3_db_config(database, setting, value, (int *)0);
}

/// sqlite3_config(), which is variadic, for settings that are switches.
static inline int csqlite_set_process_switch(int setting, int value) {
    return sqlite3_config(setting, value);
}

/// sqlite3_bind_blob64() with a copy of the bytes. Zero bytes become an empty blob, never NULL.
static inline int csqlite_bind_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count
) {
    return count == 0
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// sqlite3_bind_text64() with a copy of the UTF-8. Zero bytes become an empty text, never NULL.
static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : (const char *)text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
