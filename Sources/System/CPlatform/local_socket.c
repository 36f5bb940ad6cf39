// Unix sockets: Swift cannot easily build the address, a union of variable length.
#define _GNU_SOURCE

#include "CPlatform.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

static int make_address(const char *path, struct sockaddr_un *address) {
    size_t size = strlen(path);
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (size == 0 || size >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address->sun_path, path, size);
    return 0;
}

static int closing(int descriptor) {
    int saved = errno;
    close(descriptor);
    errno = saved;
    return -1;
}

/// Sets close-on-exec atomically if the system supports it, because another thread may start a program between two calls.
static int make_socket(int family) {
#ifdef __linux__
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
    int descriptor = socket(family, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? descriptor : closing(descriptor);
#endif
}

static int set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

int platform_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    if (make_address(path, &address) != 0) return -1;
    int descriptor = make_socket(AF_UNIX);
    if (descriptor < 0) return -1;
    if (set_nonblocking(descriptor) != 0) return closing(descriptor);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return closing(descriptor);
    if (backlog >= 0 && listen(descriptor, backlog) != 0) return closing(descriptor);
    return descriptor;
}

int platform_listen_at(const struct sockaddr *address, socklen_t size, int backlog) {
    int descriptor = make_socket(address->sa_family);
    if (descriptor < 0) return -1;
    // Allows the address while connections of an earlier server are in TIME_WAIT.
    int on = 1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return closing(descriptor);
    if (set_nonblocking(descriptor) != 0) return closing(descriptor);
    if (bind(descriptor, address, size) != 0) return closing(descriptor);
    if (backlog >= 0 && listen(descriptor, backlog) != 0) return closing(descriptor);
    return descriptor;
}

int platform_connect(const char *path) {
    struct sockaddr_un address;
    if (make_address(path, &address) != 0) return -1;
    int descriptor = make_socket(AF_UNIX);
    if (descriptor < 0) return -1;
    // Waits while the listener's queue is full; a non-blocking socket would be rejected at once.
    struct timeval limit = {.tv_sec = 5};
    if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0) return closing(descriptor);
    while (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        if (errno != EINTR) return closing(descriptor);
    }
    return set_nonblocking(descriptor) == 0 ? descriptor : closing(descriptor);
}

int platform_accept(int listener) {
#ifdef __linux__
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0) return -1;
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 || set_nonblocking(descriptor) != 0) return closing(descriptor);
    return descriptor;
#endif
}

int platform_has_ended(int descriptor) {
#ifdef POLLRDHUP
    struct pollfd events = {.fd = descriptor, .events = POLLRDHUP};
#else
    struct pollfd events = {.fd = descriptor, .events = 0};
#endif
    return poll(&events, 1, 0) != 0;
}

int platform_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
#else
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0 || set_nonblocking(ends[i]) != 0) {
            closing(ends[0]);
            return closing(ends[1]);
        }
    }
    return 0;
#endif
}

int platform_peer_user(int descriptor, uid_t *user) {
#ifdef __linux__
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *user = peer.uid;
    return 0;
#else
    gid_t group;
    return getpeereid(descriptor, user, &group);
#endif
}

pid_t platform_peer_process(int descriptor) {
#ifdef __linux__
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
#else
    pid_t process = 0;
    socklen_t size = sizeof process;
    return getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &process, &size) == 0 ? process : 0;
#endif
}

ssize_t platform_send(int descriptor, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    // Programs of this package ignore SIGPIPE; other users of this module on macOS must do so too.
    return send(descriptor, bytes, count, 0);
#endif
}

ssize_t platform_send_both(int descriptor, const void *first, size_t first_count, const void *second, size_t second_count) {
    struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
#ifdef MSG_NOSIGNAL
    return sendmsg(descriptor, &message, MSG_NOSIGNAL);
#else
    return sendmsg(descriptor, &message, 0);
#endif
}

ssize_t platform_receive(int descriptor, void *bytes, size_t count) {
    return recv(descriptor, bytes, count, 0);
}
