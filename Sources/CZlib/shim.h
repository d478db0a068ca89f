#pragma once
#include <zlib.h>

// Swift cannot import deflateInit2, which is a macro. Adding 16 to the window bits selects the gzip format.
static inline int shim_begin_gzip(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

// The same for inflateInit2.
static inline int shim_begin_gunzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }
