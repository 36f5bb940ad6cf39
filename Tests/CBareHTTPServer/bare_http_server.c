#define _GNU_SOURCE
#include "CBareHTTPServer.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener = -1;
static struct MHD_Daemon *server;

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
