// Unix sockets: an address is a union of sizes and lengths that Swift cannot build plainly.
#define _GNU_SOURCE

#include "CPlatform.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
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

static int make_socket(void) {
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (descriptor < 0) return -1;
    int flags = fcntl(descriptor, F_GETFL);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) {
        int saved = errno;
        close(descriptor);
        errno = saved;
        return -1;
    }
    return descriptor;
}

static int closing(int descriptor) {
    int saved = errno;
    close(descriptor);
    errno = saved;
    return -1;
}

int platform_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    if (make_address(path, &address) != 0) return -1;
    int descriptor = make_socket();
    if (descriptor < 0) return -1;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return closing(descriptor);
    if (listen(descriptor, backlog) != 0) return closing(descriptor);
    return descriptor;
}

int platform_connect(const char *path) {
    struct sockaddr_un address;
    if (make_address(path, &address) != 0) return -1;
    int descriptor = make_socket();
    if (descriptor < 0) return -1;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) return closing(descriptor);
    return descriptor;
}

int platform_accept(int listener) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor < 0) return -1;
    int flags = fcntl(descriptor, F_GETFL);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0)
        return closing(descriptor);
    return descriptor;
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

ssize_t platform_send(int descriptor, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    // Programs of this package ignore SIGPIPE; a consumer on macOS has to.
    return send(descriptor, bytes, count, 0);
#endif
}

ssize_t platform_receive(int descriptor, void *bytes, size_t count) {
    return recv(descriptor, bytes, count, 0);
}
