// A disk that fails, for tests: SQLite's files in one folder, whose n-th operation fails, or after which the power goes.
//
// The first device registers file systems for SQLite (sqlite.org/vfs.html) in front of its own two, under their names, so that
// every connection of the process that is opened from then on goes through them. Files outside of a device's folder are handed
// on as they are.

#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

#include <stdint.h>

typedef struct FaultyDevice FaultyDevice;

/// What is counted, and may fail.
enum {
    FAULTY_OPEN = 1,
    FAULTY_READ = 2,
    FAULTY_WRITE = 4,
    FAULTY_SYNC = 8,
    FAULTY_TRUNCATE = 16,
    FAULTY_LOCK = 32,
    FAULTY_DELETE = 64,
    /// Whether there is a file, and how large it is.
    FAULTY_LOOK = 128,
    FAULTY_ANY = 255,
};

typedef enum __attribute__((enum_extensibility(closed))) FaultyMode {
    /// One operation fails; those that follow work.
    FaultyModeOnce,
    /// All operations of the kinds fail from then on; for writes the disk is full.
    FaultyModeFromThenOn,
    /// The power goes: nothing reaches the disk any more, and what wasn't synchronized is at the mercy of the restart.
    FaultyModeCrash,
} FaultyMode;

/// Makes a device of a folder (its absolute path), in which no database is open.
FaultyDevice *faulty_device_make(const char *folder);

/// Ends it. No database may be open in its folder.
void faulty_device_free(FaultyDevice *device);

/// Lets the n-th operation of some kinds fail, counted from 1 and from now.
void faulty_device_arm(FaultyDevice *device, int kinds, long number, FaultyMode mode);

/// Lets everything work again; after a crash it still doesn't. Returns how many operations have failed.
long faulty_device_disarm(FaultyDevice *device);

/// Restarts the machine after a crash. Of the writes since a file was synchronized for the last time some are lost, some are
/// there, in any order, and some are torn at a sector's border; the seed says which.
void faulty_device_restart(FaultyDevice *device, uint64_t seed);

#endif
