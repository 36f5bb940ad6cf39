// The addresses that libcurl may connect to: it opens its sockets here.
#include "address_limits.h"

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

// The blocks of IPv4 that are not globally reachable, with multicast, future use and broadcast.
static const struct {
    uint32_t start;
    int bits;
} special[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16}, {0xAC100000, 12}, {0xC0000000, 24},
    {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16}, {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 3},
};

static bool is_public_4(uint32_t address) {
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if ((address ^ special[i].start) >> (32 - special[i].bits) == 0) return false;
    return true;
}

static uint32_t number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_public_6(const uint8_t *bytes) {
    static const uint8_t zeros[10];
    static const uint8_t nat64[12] = {0x00, 0x64, 0xFF, 0x9B};
    // ::ffff:0:0/96 is IPv4; 64:ff9b::/96 is translated to it (RFC 6052).
    if (memcmp(bytes, zeros, 10) == 0 && bytes[10] == 0xFF && bytes[11] == 0xFF) return is_public_4(number(bytes + 12));
    if (memcmp(bytes, nat64, 12) == 0) return is_public_4(number(bytes + 12));
    // Global unicast is 2000::/3, without protocol assignments such as Teredo, documentation, and 6to4.
    uint32_t start = number(bytes);
    if (start >> 29 != 1) return false;
    return start >> 9 != 0x20010000 >> 9 && start != 0x20010DB8 && start >> 16 != 0x2002 && start >> 12 != 0x3FFF0000 >> 12;
}

bool ccurl_is_public(const struct sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in inet;
        memcpy(&inet, address, sizeof inet);
        return is_public_4(ntohl(inet.sin_addr.s_addr));
    }
    if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 inet;
        memcpy(&inet, address, sizeof inet);
        return is_public_6(inet.sin6_addr.s6_addr);
    }
    return false;
}

int ccurl_open_socket(void *context, unsigned int purpose, struct ccurl_address *address) {
    (void)purpose;
    struct ccurl_reach *reach = context;
    if ((reach->only_loopback && !ccurl_is_loopback(&address->address, address->size))
        || (reach->only_public && !ccurl_is_public(&address->address, address->size))) {
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
