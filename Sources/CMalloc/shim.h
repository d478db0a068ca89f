#pragma once
#include <malloc.h>

// Swift's module for glibc has no malloc.h.

// Gives memory that was freed back to the system.
static inline void shim_release_freed_memory(void) { malloc_trim(0); }
