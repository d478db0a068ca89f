#pragma once
#include <stdint.h>

// Disks that fail when they are told to, for SQLite: a VFS in front of the one that SQLite comes with.
//
// Files in the folder of a disk belong to it; all other files go straight to the VFS behind.

/// What SQLite does to a file of a disk.
typedef enum FaultyDiskOperation {
    FaultyDiskOpen,
    FaultyDiskWrite,
    FaultyDiskTruncate,
    FaultyDiskSync,
    FaultyDiskDelete,
} FaultyDiskOperation;

/// Called before an operation, from the thread of the connection.
///
/// `name` is the file's path. `bytes` is what is written, `count` long, at `offset`. Of a truncation `offset` is the new
/// size; of a deletion `count` says whether the folder is synced after it. Returns 0, or the code of SQLite with which
/// the operation fails; of a write that fails, the first half is written.
typedef int (*FaultyDiskHook)(
    void *context, FaultyDiskOperation operation, const char *name, const void *bytes, int64_t count, int64_t offset);

/// Attaches a disk at a folder; returns its number, or -1 if there are too many.
///
/// Nothing is ever synced on it: a test does not lose power.
int faulty_disk_attach(const char *folder, FaultyDiskHook hook, void *context);

/// Detaches a disk, none of whose files may be open.
void faulty_disk_detach(int disk);
