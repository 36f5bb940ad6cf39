// The owner of the other end of a local TCP connection. Swift cannot build messages of netlink(7).
#define _GNU_SOURCE

#include "CPlatform.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/time.h>

/// The state of a connection in both directions, in the kernel's numbering.
enum { ESTABLISHED = 1 };

static int put(const struct sockaddr_storage *address, __be32 bytes[4], __be16 *port) {
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *internet = (const struct sockaddr_in *)address;
        memcpy(bytes, &internet->sin_addr, sizeof internet->sin_addr);
        *port = internet->sin_port;
        return 0;
    }
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *internet = (const struct sockaddr_in6 *)address;
        memcpy(bytes, &internet->sin6_addr, sizeof internet->sin6_addr);
        *port = internet->sin6_port;
        return 0;
    }
    errno = EAFNOSUPPORT;
    return -1;
}

static int ask(int netlink, const struct inet_diag_sockid *socket, int family, uid_t *user) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 wanted;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
        .wanted = {.sdiag_family = family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = 1 << ESTABLISHED, .id = *socket},
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (sendto(netlink, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) return -1;
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    ssize_t size;
    do {
        size = recv(netlink, &answer, sizeof answer, 0);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return -1;
    if (!NLMSG_OK(&answer.header, size) || answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) {
        errno = ENOENT;
        return -1;
    }
    const struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
    // A socket without an owner has user 0 and no inode. A listening socket is another one.
    if (found->idiag_state != ESTABLISHED || found->idiag_inode == 0 || found->id.idiag_sport != socket->idiag_sport ||
        found->id.idiag_dport != socket->idiag_dport) {
        errno = ENOENT;
        return -1;
    }
    *user = found->idiag_uid;
    return 0;
}

int platform_tcp_peer_user(int descriptor, uid_t *user) {
    struct sockaddr_storage peer = {0}, own = {0};
    socklen_t size = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &size) != 0) return -1;
    size = sizeof own;
    if (getsockname(descriptor, (struct sockaddr *)&own, &size) != 0) return -1;
    struct inet_diag_sockid socket_id = {.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}};
    // The connection as its other end sees it.
    if (put(&peer, socket_id.idiag_src, &socket_id.idiag_sport) != 0) return -1;
    if (put(&own, socket_id.idiag_dst, &socket_id.idiag_dport) != 0) return -1;
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -1;
    struct timeval limit = {.tv_sec = 1};
    setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int code = ask(netlink, &socket_id, peer.ss_family, user);
    int saved = errno;
    close(netlink);
    errno = saved;
    return code;
}
#else
int platform_tcp_peer_user(int descriptor, uid_t *user) {
    (void)descriptor;
    (void)user;
    errno = ENOSYS;
    return -1;
}
#endif
