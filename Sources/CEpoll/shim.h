#pragma once
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

// Swift's module for glibc has no epoll, no eventfd and no accept4. Functions return -1 with errno if they fail.

// A new epoll set.
static inline int shim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Waits for a descriptor that other epoll sets wait for too: at least one of them wakes, instead of all.
static inline int shim_epoll_add_shared(int set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

// Waits until a descriptor can be read.
static inline int shim_epoll_add(int set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

enum { shim_for_end, shim_for_reading, shim_for_writing };

// Waits from now on until a descriptor can be read, can be written, or only until both its sides have ended.
static inline int shim_epoll_change(int set, int descriptor, int purpose) {
    unsigned events = purpose == shim_for_writing ? EPOLLOUT : purpose == shim_for_reading ? EPOLLIN : 0;
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event);
}

static inline int shim_epoll_remove(int set, int descriptor) {
    return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL);
}

enum { shim_epoll_limit = 256 };

// Waits for events, without end if milliseconds is -1, and stores their descriptors, at most shim_epoll_limit.
// Returns their count.
static inline int shim_epoll_wait(int set, int *descriptors, int milliseconds) {
    struct epoll_event events[shim_epoll_limit];
    int count = epoll_wait(set, events, shim_epoll_limit, milliseconds);
    for (int index = 0; index < count; index++) descriptors[index] = events[index].data.fd;
    return count;
}

// A descriptor that can be read after eventfd_write, until eventfd_read.
static inline int shim_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Sends two pieces of memory, one after the other, as far as the system takes them now. Returns the number of bytes.
static inline ssize_t shim_send(int socket, const void *head, size_t head_length, const void *body,
                                size_t body_length) {
    struct iovec parts[2] = {{(void *)head, head_length}, {(void *)body, body_length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Accepts a connection that does not block and that child processes do not inherit.
static inline int shim_accept(int listener, struct sockaddr_storage *address) {
    socklen_t length = sizeof *address;
    return accept4(listener, (struct sockaddr *)address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
