#pragma once
#include <microhttpd.h>
#include <string.h>

// Swift cannot call variadic functions, and libmicrohttpd's setters and getters all are: the functions
// below give each of them that the server uses a fixed list of parameters.

// What a server is started with; times in seconds, sizes in bytes.
struct shim_server_settings {
    unsigned int flags;
    int listening_socket;
    // 0 for one thread without a pool: libmicrohttpd refuses a pool of 1.
    unsigned int pool_size;
    unsigned int connection_limit;
    // 0 for no limit.
    unsigned int connection_limit_per_address;
    unsigned int idle_timeout_seconds;
    size_t connection_memory_limit_bytes;
    // Handed to every callback.
    void *context;
    MHD_NotifyConnectionCallback connection_changed;
    void *(*request_began)(void *context, const char *target, struct MHD_Connection *connection);
    MHD_AccessHandlerCallback request_arrived;
    MHD_RequestCompletedCallback request_ended;
};

// libmicrohttpd would decode %2F and cut the path at %00 before the handler sees it: leave every
// escape as it came, so that the path can be split first and decoded afterwards.
static size_t shim_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

// Starts a server on a socket that listens already; NULL if that fails.
static inline struct MHD_Daemon *shim_start_server(const struct shim_server_settings *settings) {
    return MHD_start_daemon(
        settings->flags, 0, NULL, NULL, settings->request_arrived, settings->context,
        MHD_OPTION_LISTEN_SOCKET, settings->listening_socket,
        MHD_OPTION_THREAD_POOL_SIZE, settings->pool_size,
        MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, settings->connection_limit_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory_limit_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, &shim_keep_escapes, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connection_changed, settings->context,
        MHD_OPTION_URI_LOG_CALLBACK, settings->request_began, settings->context,
        MHD_OPTION_NOTIFY_COMPLETED, settings->request_ended, settings->context,
        MHD_OPTION_END);
}

// The socket of a connection; -1 if it has none.
static inline int shim_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return information == NULL ? -1 : information->connect_fd;
}

// What the connection's start callback left for it; NULL if nothing.
static inline void *shim_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return information == NULL ? NULL : information->socket_context;
}
