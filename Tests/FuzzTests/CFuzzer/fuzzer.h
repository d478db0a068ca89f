#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library: runs until it is told to stop, and calls back with bytes. A crash ends the process.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*take)(const uint8_t *bytes, size_t count));
