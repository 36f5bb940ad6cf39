// One transfer at a time over persistent connections.
#include "library.h"

#include <pthread.h>
#include <signal.h>

void *ccurl_new_connections(const struct ccurl_library *library) {
    return library->curl_multi_init();
}

void ccurl_free_connections(const struct ccurl_library *library, void *connections) {
    library->curl_multi_cleanup(connections);
}

static unsigned int run(const struct ccurl_library *library, void *connections, void *handle, int stop) {
    struct ccurl_wait wait = {stop, CCURL_WAIT_POLLIN, 0};
    int running = 1;
    while (running) {
        if (library->curl_multi_perform(connections, &running) != CCURLM_OK) return CCURLE_FAILED_INIT;
        // libcurl waits at most until its own timers.
        if (running && library->curl_multi_poll(
                connections, (struct curl_waitfd *)&wait, stop >= 0, 60000, NULL) != CCURLM_OK)
            return CCURLE_FAILED_INIT;
        if (running && wait.found) return CCURLE_ABORTED_BY_CALLBACK;
    }
    int left;
    const struct ccurl_message *message;
    while ((message = (const struct ccurl_message *)library->curl_multi_info_read(connections, &left)))
        if (message->message == CCURLMSG_DONE && message->handle == handle) return message->data.result;
    return CCURLE_FAILED_INIT;
}

unsigned int ccurl_perform(const struct ccurl_library *library, void *connections, void *handle, int stop) {
    // libcurl and its TLS do not suppress SIGPIPE on every write to a closed connection. The signal is directed at this thread.
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    unsigned int code = CCURLE_OUT_OF_MEMORY;
    if (library->curl_multi_add_handle(connections, handle) == CCURLM_OK) {
        code = run(library, connections, handle, stop);
        library->curl_multi_remove_handle(connections, handle);
    }
    sigpending(&pending);
    int number;
    if (!was_pending && sigismember(&pending, SIGPIPE)) sigwait(&pipe, &number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
