#define _GNU_SOURCE
#include "CBareHTTPServer.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { key_size = 32 };

static int listener = -1;
static struct MHD_Daemon *server;
static const char *database;
static const char *selection;
// The keys that requests ask for in turn.
static unsigned char (*keys)[key_size];
static size_t key_count;

static sqlite3_stmt *prepare(sqlite3 **connection, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(database, connection, flags, NULL) != SQLITE_OK) return NULL;
    sqlite3_prepare_v3(*connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

// The statement of this thread's own connection, after a look whether the file was replaced; its row is read, too.
static int read_row(void) {
    static _Thread_local sqlite3 *connection;
    static _Thread_local sqlite3_stmt *statement;
    static _Thread_local size_t number;
    if (statement == NULL) statement = prepare(&connection, selection);
    int has_moved = 0;
    if (statement == NULL) return -1;
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    sqlite3_bind_blob(statement, 1, keys[number++ % key_count], key_size, SQLITE_STATIC);
    int result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) sqlite3_column_text(statement, i);
    }
    sqlite3_reset(statement);
    return result == SQLITE_ROW ? 0 : -1;
}

static int read_keys(const char *sql) {
    sqlite3 *connection = NULL;
    sqlite3_stmt *statement = prepare(&connection, sql);
    while (statement != NULL && sqlite3_step(statement) == SQLITE_ROW) {
        keys = realloc(keys, (key_count + 1) * key_size);
        if (keys == NULL || sqlite3_column_bytes(statement, 0) != key_size) return -1;
        memcpy(keys[key_count++], sqlite3_column_blob(statement, 0), key_size);
    }
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return key_count > 0 ? 0 : -1;
}

static enum MHD_Result answer(
    void *response, struct MHD_Connection *connection, const char *path, const char *method,
    const char *version, const char *content, size_t *size, void **noted
) {
    static char begun;
    (void)path, (void)method, (void)version, (void)content;
    if (*noted == NULL) {
        *noted = &begun;
        return MHD_YES;
    }
    if (*size != 0) {
        *size = 0;
        return MHD_YES;
    }
    if (selection != NULL && read_row() != 0) return MHD_NO;
    return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static void *accept_all(void *unused) {
    (void)unused;
    for (;;) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int client = accept(listener, (struct sockaddr *)&address, &length);
        if (client >= 0) MHD_add_connection(server, client, (struct sockaddr *)&address, length);
    }
    return NULL;
}

static int listen_on_loopback(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) != 0) return -1;
    if (listen(listener, SOMAXCONN) != 0) return -1;
    if (getsockname(listener, (struct sockaddr *)&address, &length) != 0) return -1;
    return ntohs(address.sin_port);
}

int bare_http_server_start(
    unsigned int threads, const char *const *fields, const void *body, size_t size
) {
    struct MHD_Response *response
        = MHD_create_response_from_buffer(size, (void *)body, MHD_RESPMEM_MUST_COPY);
    if (response == NULL) return -1;
    for (; fields[0] != NULL; fields += 2) {
        if (MHD_add_response_header(response, fields[0], fields[1]) != MHD_YES) return -1;
    }
    // A pool has at least two threads.
    struct MHD_OptionItem pool[] = {
        {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    server = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC, 0,
        NULL, NULL, &answer, response, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
    int port = listen_on_loopback();
    pthread_t thread;
    if (server == NULL || port < 0) return -1;
    return pthread_create(&thread, NULL, &accept_all, NULL) == 0 ? port : -1;
}

int bare_http_server_read_first(
    const char *path, const char *key_selection, const char *row_selection
) {
    // As our server: a lock of all threads counts the memory otherwise.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    database = path;
    selection = row_selection;
    return read_keys(key_selection);
}
