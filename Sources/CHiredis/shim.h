#pragma once
#include <errno.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

// hiredis writes with write(2), so that SIGPIPE ends the process if the server has closed the connection.
// This function sends the output buffer without that signal, and keeps the buffer's memory for the next commands.
// Returns 0, or errno if it fails.
static inline int coterie_redis_flush(redisContext *context) {
    size_t count = sdslen(context->obuf), done = 0;
    while (done < count) {
        ssize_t sent = send(context->fd, context->obuf + done, count - done, MSG_NOSIGNAL);
        if (sent >= 0)
            done += (size_t)sent;
        else if (errno != EINTR)
            return errno;
    }
    sdsclear(context->obuf);
    return 0;
}

// sdslen reads a header before the pointer, which Swift cannot import.
static inline size_t coterie_redis_pending(const redisContext *context) { return sdslen(context->obuf); }
