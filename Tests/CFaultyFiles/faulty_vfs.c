// SQLite's own file systems with a device between them and SQLite: each operation is counted, may fail, and tells what it
// overwrites. Reads and writes go to the real files at once; synchronizing only notes that they are safe, which is faster, too.

#include "device.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// The file, followed by the real one.
typedef struct {
    sqlite3_file base;
    FaultyDevice *device;
    /// Owned by SQLite, which keeps it as long as the file is open.
    const char *path;
} File;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((File *)file + 1); }
static const sqlite3_io_methods *methods(sqlite3_file *file) { return real(file)->pMethods; }
static int fails(sqlite3_file *file, int kind) { return device_fails(((File *)file)->device, kind); }

// MARK: Files

static int file_close(sqlite3_file *file) { return methods(file)->xClose(real(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (fails(file, FAULTY_READ)) return SQLITE_IOERR_READ;
    return methods(file)->xRead(real(file), bytes, count, offset);
}

/// Tells the device what a change of a file will overwrite.
static int note(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    File *own = (File *)file;
    // Temporary files have no name, and nobody looks for them after a crash.
    if (!own->path) return SQLITE_OK;
    sqlite3_int64 size = 0;
    int status = methods(file)->xFileSize(real(file), &size);
    if (status) return status;
    sqlite3_int64 covered = size - offset;
    if (bytes && covered > count) covered = count;
    if (covered < 0) covered = 0;
    void *old = malloc((size_t)covered + 1);
    if (covered) status = methods(file)->xRead(real(file), old, (int)covered, offset);
    if (!status) device_note(own->device, own->path, offset, size, old, (int)covered, bytes, count);
    free(old);
    return status;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    FaultyDevice *device = ((File *)file)->device;
    if (device_fails(device, FAULTY_WRITE)) return device_is_full(device) ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    int status = note(file, bytes, count, offset);
    return status ? status : methods(file)->xWrite(real(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (fails(file, FAULTY_TRUNCATE)) return SQLITE_IOERR_TRUNCATE;
    int status = note(file, NULL, 0, size);
    return status ? status : methods(file)->xTruncate(real(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
    (void)flags;
    if (fails(file, FAULTY_SYNC)) return SQLITE_IOERR_FSYNC;
    File *own = (File *)file;
    if (own->path) device_settle(own->device, own->path);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (fails(file, FAULTY_LOOK)) return SQLITE_IOERR_FSTAT;
    return methods(file)->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
    if (fails(file, FAULTY_LOCK)) return SQLITE_IOERR_LOCK;
    return methods(file)->xLock(real(file), level);
}

static int file_unlock(sqlite3_file *file, int level) { return methods(file)->xUnlock(real(file), level); }

static int file_check_lock(sqlite3_file *file, int *is_reserved) {
    if (fails(file, FAULTY_LOCK)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    return methods(file)->xCheckReservedLock(real(file), is_reserved);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return methods(file)->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return methods(file)->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) { return methods(file)->xDeviceCharacteristics(real(file)); }

static int file_shared_map(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
    if (fails(file, FAULTY_OPEN)) return SQLITE_IOERR_SHMMAP;
    return methods(file)->xShmMap(real(file), page, size, extends, memory);
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) && fails(file, FAULTY_LOCK)) return SQLITE_IOERR_SHMLOCK;
    return methods(file)->xShmLock(real(file), offset, count, flags);
}

static void file_shared_barrier(sqlite3_file *file) { methods(file)->xShmBarrier(real(file)); }

static int file_shared_unmap(sqlite3_file *file, int deletes) { return methods(file)->xShmUnmap(real(file), deletes); }

// Without memory mapping of the database, which the real ones don't use either unless asked to.
#define COMMON_METHODS                                                                                               \
    file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock, file_check_lock, \
        file_control, file_sector_size, file_characteristics

static const sqlite3_io_methods plain_methods = {1, COMMON_METHODS};
static const sqlite3_io_methods shared_methods = {
    2, COMMON_METHODS, file_shared_map, file_shared_lock, file_shared_barrier, file_shared_unmap,
};

// MARK: The file systems

/// One of ours: a copy of SQLite's, which is kept behind it.
typedef struct {
    sqlite3_vfs base;
    sqlite3_vfs *real;
} FileSystem;

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    sqlite3_vfs *under = ((FileSystem *)vfs)->real;
    FaultyDevice *device = device_of(path);
    if (!device) return under->xOpen(under, path, file, flags, flags_out);
    File *own = (File *)file;
    own->base.pMethods = NULL;
    if (device_fails(device, FAULTY_OPEN)) return SQLITE_CANTOPEN;
    memset(real(file), 0, (size_t)under->szOsFile);
    int status = under->xOpen(under, path, real(file), flags, flags_out);
    if (!real(file)->pMethods) return status;
    own->device = device;
    own->path = path;
    int is_shared = real(file)->pMethods->iVersion >= 2 && real(file)->pMethods->xShmMap;
    own->base.pMethods = is_shared ? &shared_methods : &plain_methods;
    return status;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    sqlite3_vfs *under = ((FileSystem *)vfs)->real;
    FaultyDevice *device = device_of(path);
    if (device && device_fails(device, FAULTY_DELETE)) return SQLITE_IOERR_DELETE;
    if (device) device_settle(device, path);
    return under->xDelete(under, path, syncs_folder);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    sqlite3_vfs *under = ((FileSystem *)vfs)->real;
    FaultyDevice *device = device_of(path);
    if (device && device_fails(device, FAULTY_LOOK)) return SQLITE_IOERR_ACCESS;
    return under->xAccess(under, path, flags, result);
}

static void register_over(FileSystem *own, const char *name, int is_default) {
    own->real = sqlite3_vfs_find(name);
    own->base = *own->real;
    own->base.pNext = NULL;
    own->base.szOsFile = (int)sizeof(File) + own->real->szOsFile;
    own->base.xOpen = vfs_open;
    own->base.xDelete = vfs_delete;
    own->base.xAccess = vfs_access;
    if (sqlite3_vfs_register(&own->base, is_default)) abort();
}

static FileSystem default_files, unlocked_files;

// One of a name that comes later is found first, so that both are found under the names that the code asks for.
static void register_all(void) {
    register_over(&unlocked_files, "unix-none", 0);
    register_over(&default_files, "unix", 1);
}

void register_faulty_files(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_all);
}
