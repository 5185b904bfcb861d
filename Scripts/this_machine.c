// Keeps a program and those it starts on this machine; built and preloaded by the function `isolate` of Scripts/lib.sh.
//
// A connection to another host and a lookup of its name fail as without a network, and each is recorded as a line of the file
// RECORD: the program, its process, and the host. So a test that would call a real server fails loudly, and does not call it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void record(const char *host, int port) {
    char line[512];
    int length = snprintf(
        line, sizeof line, "%s[%d]: %.300s port %d\n", program_invocation_short_name, (int)getpid(), host, port);
    int file = open(RECORD, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return;
    if (write(file, line, (size_t)length) < 0) dprintf(2, "%s", line);
    close(file);
}

static bool is_here_v4(struct in_addr address) {
    uint32_t bits = ntohl(address.s_addr);
    return bits >> 24 == 127 || bits == INADDR_ANY;
}

static bool is_here_v6(const struct in6_addr *address) {
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        struct in_addr inner;
        memcpy(&inner, address->s6_addr + 12, sizeof inner);
        return is_here_v4(inner);
    }
    return IN6_IS_ADDR_LOOPBACK(address) || IN6_IS_ADDR_UNSPECIFIED(address);
}

// Whether an address is of this machine; records one that is not.
static bool is_here(const struct sockaddr *address, socklen_t length) {
    char host[INET6_ADDRSTRLEN] = "";
    if (!address) return true;
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *v4 = (const void *)address;
        if (is_here_v4(v4->sin_addr)) return true;
        record(inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host), ntohs(v4->sin_port));
        return false;
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *v6 = (const void *)address;
        if (is_here_v6(&v6->sin6_addr)) return true;
        record(inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host), ntohs(v6->sin6_port));
        return false;
    }
    return true;
}

static bool ends_with(const char *text, const char *end) {
    size_t all = strlen(text), part = strlen(end);
    return all >= part && strcasecmp(text + all - part, end) == 0;
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
    if (!is_here(address, length)) {
        errno = ENETUNREACH;
        return -1;
    }
    return REAL(connect)(socket, address, length);
}

ssize_t sendto(int socket, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length) {
    if (!is_here(address, length)) {
        errno = ENETUNREACH;
        return -1;
    }
    return REAL(sendto)(socket, bytes, count, flags, address, length);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    if (!is_here(message->msg_name, message->msg_namelen)) {
        errno = ENETUNREACH;
        return -1;
    }
    return REAL(sendmsg)(socket, message, flags);
}

// A lookup asks a name server, which is another machine: only what needs none goes on.
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    unsigned char address[sizeof(struct in6_addr)];
    bool needs_none = !host || strcasecmp(host, "localhost") == 0 || inet_pton(AF_INET, host, address) == 1
        || inet_pton(AF_INET6, host, address) == 1;
    if (needs_none) return REAL(getaddrinfo)(host, service, hints, found);
    // Names of this ending exist nowhere (RFC 2606), so asking for one reaches no other machine.
    if (!ends_with(host, ".invalid")) record(host, service ? atoi(service) : 0);
    return EAI_NONAME;
}
