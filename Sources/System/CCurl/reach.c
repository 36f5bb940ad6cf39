// Sockets for libcurl, which calls this for each address before it connects.
#include "reach.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

bool ccurl_is_loopback(const struct sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in inet;
        memcpy(&inet, address, sizeof inet);
        return ntohl(inet.sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 inet;
        memcpy(&inet, address, sizeof inet);
        return IN6_IS_ADDR_LOOPBACK(&inet.sin6_addr);
    }
    return false;
}

int ccurl_open_socket(void *context, unsigned int purpose, struct ccurl_address *address) {
    (void)purpose;
    struct ccurl_reach *reach = context;
    if (reach->only_loopback && !ccurl_is_loopback(&address->address, address->size)) {
        reach->did_refuse = true;
        return CCURL_SOCKET_BAD;
    }
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->type | SOCK_CLOEXEC, address->protocol);
#else
    int descriptor = socket(address->family, address->type, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}
