// A library that comes before the C library (LD_PRELOAD) and lets the n-th call fail that concerns a file in one folder: reading,
// writing, synchronizing, renaming and so on, by whoever makes it, Foundation and SQLite included.
//
//     FAULT_FOLDER   the folder's path
//     FAULT_NUMBER   which call, from 1
//     FAULT_KIND     once: this call; always: this one and all that follow; kill: the process is killed instead; interrupt: it gets a
//                    signal, at the first call from this one on at which it listens for that, and goes on when it has heard it
//     FAULT_SIGNAL   the signal's number; without it, SIGINT
//     FAULT_REPORT   a file that is made when the call is reached

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long counted;

static int is_watched(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && path && !strncmp(path, folder, strlen(folder));
}

static int is_watched_at(int folder, const char *path) {
    char place[8192], link[64];
    if (path[0] == '/') return is_watched(path);
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    ssize_t count = readlink(link, place, 4096);
    if (count < 0) return 0;
    snprintf(place + count, sizeof place - (size_t)count, "/%s", path);
    return is_watched(place);
}

static int is_watched_file(int file) {
    int error = errno;
    int answer = is_watched_at(file, "");
    errno = error;
    return answer;
}

static int signal_number(void) {
    const char *number = getenv("FAULT_SIGNAL");
    return number ? atoi(number) : SIGINT;
}

/// Whoever starts us may ignore the signal.
__attribute__((constructor)) static void begin(void) { signal(signal_number(), SIG_DFL); }

/// Whether the process listens for the signal, which has its default effect before and when one has been heard
/// (Sources/GraftTool/Terminal/Interruption.swift).
static int listens(void) {
    struct sigaction action;
    return !sigaction(signal_number(), NULL, &action) && action.sa_handler != SIG_DFL;
}

/// Whether a call has to fail; then `errno` says how.
static int fails(int error) {
    static atomic_int interrupted;
    long number = atomic_fetch_add(&counted, 1) + 1;
    const char *wanted = getenv("FAULT_NUMBER"), *kind = getenv("FAULT_KIND"), *report = getenv("FAULT_REPORT");
    if (!wanted || !kind) return 0;
    long at = atol(wanted);
    int interrupts = !strcmp(kind, "interrupt");
    if (interrupts || !strcmp(kind, "always") ? number < at : number != at) return 0;
    if (interrupts && (!listens() || atomic_exchange(&interrupted, 1))) return 0;
    if (report) {
        long file = syscall(SYS_openat, AT_FDCWD, report, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0) syscall(SYS_close, file);
    }
    if (!strcmp(kind, "kill")) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (interrupts) {
        kill(getpid(), signal_number());
        while (listens()) usleep(1000);
        return 0;
    }
    errno = error;
    return 1;
}

// MARK: By path

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                    \
        va_list arguments;                                                          \
        va_start(arguments, flags);                                                 \
        mode_t mode = mode_of(flags, arguments);                                    \
        va_end(arguments);                                                          \
        if (is_watched_at(AT_FDCWD, path) && fails(EIO)) return -1;                 \
        return REAL(name)(path, flags, mode);                                       \
    }
#define OPEN_AT(name)                                                               \
    int name(int folder, const char *path, int flags, ...) {                        \
        va_list arguments;                                                          \
        va_start(arguments, flags);                                                 \
        mode_t mode = mode_of(flags, arguments);                                    \
        va_end(arguments);                                                          \
        if (is_watched_at(folder, path) && fails(EIO)) return -1;                   \
        return REAL(name)(folder, path, flags, mode);                               \
    }
OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

#define WITH_PATH(result, name, declaration, arguments, error)                      \
    result name declaration {                                                       \
        if (is_watched_at(AT_FDCWD, path) && fails(error)) return -1;               \
        return REAL(name) arguments;                                                \
    }
WITH_PATH(int, rename, (const char *path, const char *to), (path, to), EIO)
WITH_PATH(int, link, (const char *path, const char *to), (path, to), EIO)
WITH_PATH(int, unlink, (const char *path), (path), EIO)
WITH_PATH(int, rmdir, (const char *path), (path), EIO)
WITH_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC)
WITH_PATH(int, truncate, (const char *path, off_t size), (path, size), EIO)

int renameat(int folder, const char *path, int to_folder, const char *to) {
    if (is_watched_at(folder, path) && fails(EIO)) return -1;
    return REAL(renameat)(folder, path, to_folder, to);
}

int renameat2(int folder, const char *path, int to_folder, const char *to, unsigned flags) {
    if (is_watched_at(folder, path) && fails(EIO)) return -1;
    return REAL(renameat2)(folder, path, to_folder, to, flags);
}

int unlinkat(int folder, const char *path, int flags) {
    if (is_watched_at(folder, path) && fails(EIO)) return -1;
    return REAL(unlinkat)(folder, path, flags);
}

// MARK: By open file

#define WITH_FILE(result, name, declaration, arguments, error)                      \
    result name declaration {                                                       \
        if (is_watched_file(file) && fails(error)) return -1;                       \
        return REAL(name) arguments;                                                \
    }
WITH_FILE(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count), EIO)
WITH_FILE(ssize_t, pread, (int file, void *bytes, size_t count, off_t at), (file, bytes, count, at), EIO)
WITH_FILE(ssize_t, pread64, (int file, void *bytes, size_t count, off64_t at), (file, bytes, count, at), EIO)
WITH_FILE(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count), ENOSPC)
WITH_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at), ENOSPC)
WITH_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at), ENOSPC)
WITH_FILE(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count), ENOSPC)
WITH_FILE(int, fsync, (int file), (file), EIO)
WITH_FILE(int, fdatasync, (int file), (file), EIO)
WITH_FILE(int, ftruncate, (int file, off_t size), (file, size), EIO)
WITH_FILE(int, ftruncate64, (int file, off64_t size), (file, size), EIO)
