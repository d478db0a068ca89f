// Kills its process at a step: a call that renames, removes, shortens or synchronizes a file.
//
// The variable KILLED_AT_STEP has the number of the step, from 1, which is then not taken.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void step(void) {
    static atomic_int taken;
    const char *last = getenv("KILLED_AT_STEP");
    if (last != NULL && atomic_fetch_add(&taken, 1) + 1 == atoi(last)) raise(SIGKILL);
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
