// Kills its process at a call that changes a file. The call is then not made.
//
// A step renames, removes, shortens or synchronizes a file. KILLED_AT_STEP has the number of one, from 1.
// A write puts bytes at a place of a file, as SQLite does. KILLED_AT_WRITE has the number of one.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void count(atomic_int *made, const char *variable) {
    const char *last = getenv(variable);
    if (last != NULL && atomic_fetch_add(made, 1) + 1 == atoi(last)) raise(SIGKILL);
}

static void step(void) {
    static atomic_int taken;
    count(&taken, "KILLED_AT_STEP");
}

int rename(const char *from, const char *to) {
    step();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    step();
    return unlinkat(AT_FDCWD, path, 0);
}

int ftruncate(int descriptor, off_t length) {
    step();
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

// SQLite calls this one.
int ftruncate64(int descriptor, off64_t length) {
    step();
    return (int)syscall(SYS_ftruncate, descriptor, length);
}

int fsync(int descriptor) {
    step();
    return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
    step();
    return (int)syscall(SYS_fdatasync, descriptor);
}

// SQLite calls this one.
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    static atomic_int written;
    count(&written, "KILLED_AT_WRITE");
    return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}
