#pragma once
#include <zlib.h>

// deflateInit2 is a macro that Swift cannot import. 16 above the window bits asks for gzip's header and trailer.
static inline int shim_begin_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
