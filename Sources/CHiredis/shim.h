#pragma once
#include <errno.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

/* hiredis writes with write(2): when the server has gone, the signal SIGPIPE then ends the process.
   This sends its output buffer without that signal, and keeps the buffer's memory for the next commands.
   Returns 0, or the number of the system's error. */
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

/* sdslen is an inline function over a header that lies before the pointer, which Swift cannot import as such. */
static inline size_t coterie_redis_pending(const redisContext *context) { return sdslen(context->obuf); }
