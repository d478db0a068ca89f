// The library has no functions of its own: it stands before those of the C library, by LD_PRELOAD.
