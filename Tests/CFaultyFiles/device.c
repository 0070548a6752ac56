#include "device.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512 };

/// A write, or a cut, that hasn't been synchronized.
typedef struct Change {
    struct Change *older, *newer;
    char *path;
    int64_t offset, size_before;
    unsigned char *old, *new;
    int old_count, new_count;
} Change;

struct FaultyDevice {
    FaultyDevice *next;
    char *folder;
    int kinds;
    long remaining, failures;
    FaultyMode mode;
    int is_armed, is_down;
    Change *newest, *oldest;
};

/// Guards everything above. Connections of one process are on several threads.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FaultyDevice *devices;

static void *copy(const void *bytes, int count) {
    if (!bytes || count <= 0) return NULL;
    return memcpy(malloc((size_t)count), bytes, (size_t)count);
}

// MARK: Devices

FaultyDevice *faulty_device_make(const char *folder) {
    register_faulty_files();
    FaultyDevice *device = calloc(1, sizeof(FaultyDevice));
    device->folder = strdup(folder);
    pthread_mutex_lock(&lock);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lock);
    return device;
}

static void forget(FaultyDevice *device, Change *change) {
    *(change->older ? &change->older->newer : &device->oldest) = change->newer;
    *(change->newer ? &change->newer->older : &device->newest) = change->older;
    free(change->path);
    free(change->old);
    free(change->new);
    free(change);
}

static void forget_all(FaultyDevice *device, const char *path) {
    for (Change *change = device->oldest, *next; change; change = next) {
        next = change->newer;
        if (!path || !strcmp(path, change->path)) forget(device, change);
    }
}

void faulty_device_free(FaultyDevice *device) {
    pthread_mutex_lock(&lock);
    FaultyDevice **place = &devices;
    while (*place != device) place = &(*place)->next;
    *place = device->next;
    forget_all(device, NULL);
    pthread_mutex_unlock(&lock);
    free(device->folder);
    free(device);
}

void faulty_device_arm(FaultyDevice *device, int kinds, long number, FaultyMode mode) {
    pthread_mutex_lock(&lock);
    device->kinds = kinds;
    device->remaining = number;
    device->failures = 0;
    device->mode = mode;
    device->is_armed = 1;
    pthread_mutex_unlock(&lock);
}

long faulty_device_disarm(FaultyDevice *device) {
    pthread_mutex_lock(&lock);
    device->is_armed = 0;
    long failures = device->failures;
    pthread_mutex_unlock(&lock);
    return failures;
}

// MARK: What the file system asks and tells

FaultyDevice *device_of(const char *path) {
    if (!path) return NULL;
    pthread_mutex_lock(&lock);
    FaultyDevice *device = devices;
    while (device && strncmp(path, device->folder, strlen(device->folder))) device = device->next;
    pthread_mutex_unlock(&lock);
    return device;
}

int device_fails(FaultyDevice *device, int kind) {
    pthread_mutex_lock(&lock);
    int fails = device->is_down;
    if (!fails && device->is_armed && (device->kinds & kind)) {
        device->remaining -= 1;
        fails = device->mode == FaultyModeOnce ? device->remaining == 0 : device->remaining <= 0;
        device->is_down = fails && device->mode == FaultyModeCrash;
    }
    device->failures += fails;
    pthread_mutex_unlock(&lock);
    return fails;
}

int device_is_full(FaultyDevice *device) {
    pthread_mutex_lock(&lock);
    int is_full = device->mode == FaultyModeFromThenOn;
    pthread_mutex_unlock(&lock);
    return is_full;
}

void device_note(
    FaultyDevice *device, const char *path, int64_t offset, int64_t size_before, const void *old, int old_count,
    const void *new, int new_count) {
    Change *change = calloc(1, sizeof(Change));
    *change = (Change){
        .path = strdup(path), .offset = offset, .size_before = size_before, .old = copy(old, old_count),
        .new = copy(new, new_count), .old_count = old_count, .new_count = new_count,
    };
    pthread_mutex_lock(&lock);
    change->older = device->newest;
    *(device->newest ? &device->newest->newer : &device->oldest) = change;
    device->newest = change;
    pthread_mutex_unlock(&lock);
}

void device_settle(FaultyDevice *device, const char *path) {
    pthread_mutex_lock(&lock);
    forget_all(device, path);
    pthread_mutex_unlock(&lock);
}

// MARK: Restarting

/// xorshift64*
static uint64_t next_number(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1D;
}

static void write_all(int file, const unsigned char *bytes, int count, int64_t offset) {
    if (count > 0 && pwrite(file, bytes, (size_t)count, offset) != count) abort();
}

static void undo(const Change *change) {
    int file = open(change->path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    if (ftruncate(file, change->size_before)) abort();
    write_all(file, change->old, change->old_count, change->offset);
    close(file);
}

/// Does a change again: not at all, whole, or, of a write, some of its sectors.
static void redo(const Change *change, uint64_t *random) {
    uint64_t choice = next_number(random) >> 32;
    if (choice % 4 < 2) return;
    int file = open(change->path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    if (!change->new) {
        if (ftruncate(file, change->offset)) abort();
    } else if (choice % 4 == 2) {
        write_all(file, change->new, change->new_count, change->offset);
    } else {
        for (int start = 0; start < change->new_count; start += SECTOR) {
            int count = change->new_count - start < SECTOR ? change->new_count - start : SECTOR;
            if (next_number(random) >> 63) write_all(file, change->new + start, count, change->offset + start);
        }
    }
    close(file);
}

void faulty_device_restart(FaultyDevice *device, uint64_t seed) {
    uint64_t random = seed * 0x9E3779B97F4A7C15 + 1;
    pthread_mutex_lock(&lock);
    for (Change *change = device->newest; change; change = change->older) undo(change);
    for (Change *change = device->oldest; change; change = change->newer) redo(change, &random);
    forget_all(device, NULL);
    device->is_armed = 0;
    device->is_down = 0;
    pthread_mutex_unlock(&lock);
}
