// SQLite, and wrappers for the parts that Swift cannot call: variadic functions, and macros with cast pointers.
#ifndef TASKVAULT_CSQLITE_SHIM_H
#define TASKVAULT_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/// sqlite3_bind_blob64() without a copy: SQLite reads the bytes until the binding ends.
static inline int csqlite_bind_lent(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count
) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

/// sqlite3_bind_text64() with a copy of the UTF-8. Zero bytes become an empty text, never NULL.
static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : (const char *)text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// The mapped index of a connection's write-ahead log: xShmMap() of its first region, whose size is part of the format
/// (sqlite.org/walformat.html). NULL without one. Valid until the connection is closed.
static inline const volatile void *csqlite_log_index(sqlite3 *database) {
    sqlite3_file *file = NULL;
    volatile void *index = NULL;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return NULL;
    if (file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) return NULL;
    return file->pMethods->xShmMap(file, 0, 32768, 0, &index) == SQLITE_OK ? index : NULL;
}

enum { CSQLITE_LOG_HEADER_SIZE = 48 };

/// Copies the header of a log's index. SQLite writes the second of two copies first, so equal ones are a state that a commit left. Returns false
/// while a commit writes them, and for another version.
static inline bool csqlite_read_log_header(const volatile void *index, void *header) {
    const volatile uint32_t *words = (const volatile uint32_t *)index;
    uint32_t first[CSQLITE_LOG_HEADER_SIZE / 4], second[CSQLITE_LOG_HEADER_SIZE / 4];
    for (int word = 0; word < CSQLITE_LOG_HEADER_SIZE / 4; word++) first[word] = words[word];
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int word = 0; word < CSQLITE_LOG_HEADER_SIZE / 4; word++) second[word] = words[CSQLITE_LOG_HEADER_SIZE / 4 + word];
    if (memcmp(first, second, sizeof first) != 0 || first[0] != 3007000) return false;
    memcpy(header, first, sizeof first);
    return true;
}

#endif
