/* A server that is far away: passes on what its clients and the server send, each half of the round trip later.

       far_server LISTEN SERVER MICROSECONDS

   Both are paths of Unix sockets, so that the delay is all that differs from the server's own. Prints `ready` when it listens; ends
   with its parent. One thread holds any number of connections: all bytes wait equally long, so one queue in the order of arrival is
   also the order in which they are due. The delay limits no throughput: whatever has arrived waits in memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* What one end sent; one without bytes says that it sends no more. */
struct chunk {
    struct chunk *next;
    struct end *to;
    int64_t due;
    size_t size, written;
    char bytes[];
};

struct queue {
    struct chunk *first, **last;
};

struct end {
    struct end *other;
    int file;
    /* What is due and could not be written yet. */
    struct queue waiting;
    bool is_blocked, is_finished;
};

static int epoll;
static int64_t one_way;
static struct queue under_way = {NULL, &under_way.first};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void append(struct queue *queue, struct chunk *chunk) {
    chunk->next = NULL;
    *queue->last = chunk;
    queue->last = &chunk->next;
}

static struct chunk *take(struct queue *queue) {
    struct chunk *chunk = queue->first;
    queue->first = chunk->next;
    if (!queue->first) queue->last = &queue->first;
    return chunk;
}

static void watch(struct end *end, int operation) {
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLRDHUP | EPOLLET | (end->is_blocked ? EPOLLOUT : 0), .data.ptr = end};
    if (epoll_ctl(epoll, operation, end->file, &event) != 0) fail("epoll_ctl");
}

/* The ends stay: chunks under way and events of the same round refer to them, and there are few. */
static void hang_up(struct end *end) {
    for (int number = 0; number < 2; number++, end = end->other) {
        if (end->file >= 0) close(end->file);
        end->file = -1;
        while (end->waiting.first) free(take(&end->waiting));
    }
}

static void write_waiting(struct end *end) {
    while (end->file >= 0 && end->waiting.first) {
        struct chunk *chunk = end->waiting.first;
        if (chunk->size == 0) {
            shutdown(end->file, SHUT_WR);
            end->is_finished = true;
        } else {
            ssize_t count = send(end->file, chunk->bytes + chunk->written, chunk->size - chunk->written, MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0 && errno != EAGAIN) {
                hang_up(end);
                return;
            }
            if (count > 0) chunk->written += count;
            if (chunk->written < chunk->size) {
                if (count > 0) continue;
                if (!end->is_blocked) {
                    end->is_blocked = true;
                    watch(end, EPOLL_CTL_MOD);
                }
                return;
            }
        }
        free(take(&end->waiting));
    }
    if (end->file >= 0 && end->is_blocked) {
        end->is_blocked = false;
        watch(end, EPOLL_CTL_MOD);
    }
    if (end->is_finished && end->other->is_finished) hang_up(end);
}

static void read_all(struct end *end) {
    static char bytes[1 << 18];
    while (end->file >= 0) {
        ssize_t count = recv(end->file, bytes, sizeof bytes, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return;
        size_t size = count > 0 ? count : 0;
        struct chunk *chunk = malloc(sizeof *chunk + size);
        if (!chunk) fail("malloc");
        *chunk = (struct chunk){.to = end->other, .due = now() + one_way, .size = size};
        memcpy(chunk->bytes, bytes, size);
        append(&under_way, chunk);
        if (count <= 0) return;
    }
}

static void deliver(void) {
    while (under_way.first && under_way.first->due <= now()) {
        struct chunk *chunk = take(&under_way);
        if (chunk->to->file < 0) {
            free(chunk);
        } else {
            append(&chunk->to->waiting, chunk);
            write_waiting(chunk->to);
        }
    }
}

static struct sockaddr_un address(const char *path) {
    struct sockaddr_un made = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof made.sun_path) {
        fprintf(stderr, "error: `%s` is too long for the path of a socket\n", path);
        exit(1);
    }
    strcpy(made.sun_path, path);
    return made;
}

static void accept_all(int listener, const struct sockaddr_un *server) {
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (client < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (client < 0 && errno == EAGAIN) return;
        if (client < 0) fail("accept");
        /* Waits if the server has no place for another: only connecting does. */
        int other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (other < 0) fail("socket");
        if (connect(other, (const struct sockaddr *)server, sizeof *server) != 0 || fcntl(other, F_SETFL, O_NONBLOCK) != 0) {
            close(client);
            close(other);
            continue;
        }
        struct end *ends = calloc(2, sizeof *ends);
        if (!ends) fail("calloc");
        for (int number = 0; number < 2; number++) {
            ends[number].other = &ends[1 - number];
            ends[number].file = number ? other : client;
            ends[number].waiting.last = &ends[number].waiting.first;
            watch(&ends[number], EPOLL_CTL_ADD);
        }
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: far_server LISTEN SERVER MICROSECONDS\n");
        return 2;
    }
    one_way = strtol(arguments[3], NULL, 10) * 1000 / 2;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* Linux otherwise wakes a process up to 50 µs late, to wake it less often. */
    prctl(PR_SET_TIMERSLACK, 1);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);

    struct sockaddr_un here = address(arguments[1]), server = address(arguments[2]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 512) != 0) fail(arguments[1]);
    epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0) fail("epoll");
    puts("ready");
    fflush(stdout);

    for (;;) {
        int64_t left = under_way.first ? under_way.first->due - now() : -1;
        if (under_way.first && left < 0) left = 0;
        struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        struct epoll_event events[128];
        int found = epoll_pwait2(epoll, events, 128, under_way.first ? &wait : NULL, NULL);
        if (found < 0 && errno != EINTR) fail("epoll_pwait2");
        deliver();
        for (int number = 0; number < found; number++) {
            struct end *end = events[number].data.ptr;
            if (!end) {
                accept_all(listener, &server);
                continue;
            }
            if (events[number].events & ~EPOLLOUT) read_all(end);
            if (events[number].events & EPOLLOUT) write_waiting(end);
        }
    }
}
