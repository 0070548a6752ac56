// What a device knows. The file system (faulty_vfs.c) asks before each operation, and tells what it has written.

#ifndef DEVICE_H
#define DEVICE_H

#include "faulty_files.h"

/// The device in whose folder a file is; null for all others.
FaultyDevice *device_of(const char *path);

/// Whether an operation has to fail. Counts it.
int device_fails(FaultyDevice *device, int kind);

/// Whether the disk is full rather than broken.
int device_is_full(FaultyDevice *device);

/// Keeps what a file had before it was written to or cut off.
///
/// - old: the bytes that are overwritten, as far as there are any.
/// - new: null where the file is cut off at the offset.
void device_note(
    FaultyDevice *device, const char *path, int64_t offset, int64_t size_before, const void *old, int old_count,
    const void *new, int new_count);

/// Forgets what a file had before: its contents are on the disk, or it is gone.
void device_settle(FaultyDevice *device, const char *path);

/// Registers the file systems, once.
void register_faulty_files(void);

#endif
