#pragma once
#include <stddef.h>

enum { COTERIE_LINE_BYTES = 64 };

// Starts to load memory that will be read soon, without waiting for it. The addresses need not be readable.
static inline __attribute__((always_inline)) void coterie_prefetch(const void *start, size_t byteCount) {
    for (size_t offset = 0; offset < byteCount; offset += COTERIE_LINE_BYTES)
        __builtin_prefetch((const char *)start + offset);
}
