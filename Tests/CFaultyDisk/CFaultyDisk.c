#include "CFaultyDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { disk_limit = 64 };

typedef struct Disk {
    char *folder; // Null: the place is free.
    FaultyDiskHook hook;
    void *context;
} Disk;

// An open file; the file of the VFS behind lies after it in memory.
typedef struct File {
    sqlite3_file base;
    Disk disk;
    char *name;
} File;

static Disk disks[disk_limit];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sqlite3_vfs *behind;
static sqlite3_vfs front;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }

static int ask(sqlite3_file *file, FaultyDiskOperation operation, const void *bytes, int64_t count, int64_t offset) {
    File *own = (File *)file;
    return own->disk.hook(own->disk.context, operation, own->name, bytes, count, offset);
}

// What may fail.

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code = ask(file, FaultyDiskWrite, bytes, count, offset);
    // As when a disk becomes full: half of it is written.
    int part = code ? count / 2 : count;
    int result = part ? real(file)->pMethods->xWrite(real(file), bytes, part, offset) : SQLITE_OK;
    return code ? code : result;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = ask(file, FaultyDiskTruncate, 0, 0, size);
    return code ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) { return ask(file, FaultyDiskSync, 0, 0, 0); }

// What is passed on.

static int file_close(sqlite3_file *file) {
    int code = real(file)->pMethods->xClose(real(file));
    free(((File *)file)->name);
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_is_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int shared_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}

static int shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void shared_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int shared_unmap(sqlite3_file *file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

// Version 2: files are not mapped into memory, past which nothing could be seen.
static const sqlite3_io_methods methods = {
    2,           file_close,    file_read,     file_write,           file_truncate,     file_sync,
    file_size,   file_lock,     file_unlock,   file_is_reserved,     file_control,      file_sector_size,
    file_characteristics,       shared_map,    shared_lock,          shared_barrier,    shared_unmap,
};

// The disk that a file belongs to; one without a folder if there is none.
static Disk find(const char *name) {
    Disk found = {0};
    pthread_mutex_lock(&lock);
    for (int index = 0; name && index < disk_limit; index++) {
        size_t length = disks[index].folder ? strlen(disks[index].folder) : 0;
        if (length && !strncmp(name, disks[index].folder, length) && name[length] == '/') found = disks[index];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    Disk disk = find(name);
    if (!disk.folder) return behind->xOpen(behind, name, file, flags, opened);
    file->pMethods = 0;
    int code = disk.hook(disk.context, FaultyDiskOpen, name, 0, 0, 0);
    if (code) return code;
    code = behind->xOpen(behind, name, real(file), flags, opened);
    if (code) return code;
    File *own = (File *)file;
    own->disk = disk;
    own->name = strdup(name);
    own->base.pMethods = &methods;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
    Disk disk = find(name);
    int code = disk.folder ? disk.hook(disk.context, FaultyDiskDelete, name, 0, syncs, 0) : 0;
    return code ? code : behind->xDelete(behind, name, syncs);
}

int faulty_disk_attach(const char *folder, FaultyDiskHook hook, void *context) {
    int number = -1;
    pthread_mutex_lock(&lock);
    if (!behind) {
        behind = sqlite3_vfs_find(0);
        front = *behind;
        front.pNext = 0;
        front.zName = "faulty-disk";
        front.szOsFile = (int)sizeof(File) + behind->szOsFile;
        front.xOpen = open_file;
        front.xDelete = delete_file;
        sqlite3_vfs_register(&front, 1);
    }
    for (int index = 0; index < disk_limit && number < 0; index++) {
        if (disks[index].folder) continue;
        disks[index] = (Disk){strdup(folder), hook, context};
        number = index;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

void faulty_disk_detach(int disk) {
    pthread_mutex_lock(&lock);
    free(disks[disk].folder);
    disks[disk] = (Disk){0};
    pthread_mutex_unlock(&lock);
}
