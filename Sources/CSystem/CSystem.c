#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#endif

int haul_fallocate(int descriptor, int64_t offset, int64_t length) {
#if defined(__linux__)
    return fallocate(descriptor, 0, offset, length);
#elif defined(__APPLE__)
    fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, length, 0};
    if (fcntl(descriptor, F_PREALLOCATE, &store) == -1) return -1;
    return ftruncate(descriptor, offset + length);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

int haul_fallocate_keeping_size(int descriptor, int64_t offset, int64_t length) {
#if defined(__linux__)
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

int haul_punch_hole(int descriptor, int64_t offset, int64_t length) {
#if defined(__linux__)
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
#elif defined(__APPLE__)
    fpunchhole_t hole = {0, 0, offset, length};
    return fcntl(descriptor, F_PUNCHHOLE, &hole);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

int haul_open_unnamed(const char *directory, unsigned int mode) {
#if defined(O_TMPFILE)
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
#else
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int haul_syncs_unnamed(int descriptor) {
#if defined(__linux__)
    struct statfs facts;
    if (fstatfs(descriptor, &facts) != 0) return 0;
    switch ((unsigned long)facts.f_type & 0xffffffffUL) {
    case 0xef53UL:      // EXT4_SUPER_MAGIC
    case 0x58465342UL:  // XFS_SUPER_MAGIC
    case 0x01021994UL:  // TMPFS_MAGIC
        return 1;
    default: return 0;
    }
#else
    return 0;
#endif
}

int haul_name_file(int descriptor, const char *target) {
#if defined(O_TMPFILE)
    // AT_EMPTY_PATH needs a capability on older kernels; this way, which open(2) tells, needs /proc.
    char source[sizeof "/proc/self/fd/" + 3 * sizeof descriptor];
    (void)snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, source, AT_FDCWD, target, AT_SYMLINK_FOLLOW);
#else
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int haul_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

void haul_widen_pipe(int descriptor, int length) {
#if defined(__linux__)
    (void)fcntl(descriptor, F_SETPIPE_SZ, length);
#endif
}

int haul_start_writeback(int descriptor, int64_t offset, int64_t length) {
#if defined(__linux__)
    return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
#else
    return 0;
#endif
}

int haul_rename_exclusively(const char *source, const char *target) {
#if defined(__linux__) && defined(SYS_renameat2)
    /* By number: the C library's wrapper is newer than the call. */
    return (int)syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD, target, 1u /* RENAME_NOREPLACE */);
#elif defined(__APPLE__)
    return renamex_np(source, target, RENAME_EXCL);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int haul_datasync(int descriptor) {
#if defined(__APPLE__)
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    return fsync(descriptor);
#else
    return fdatasync(descriptor);
#endif
}

int haul_sync(int descriptor) {
#if defined(__APPLE__)
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(descriptor);
}

int haul_sync_file_system(int descriptor) {
#if defined(__linux__)
    /* Before 5.8 a failed write-back was not reported here. */
    struct utsname system;
    int major = 0, minor = 0;
    if (uname(&system) != 0 || sscanf(system.release, "%d.%d", &major, &minor) != 2 || major < 5
        || (major == 5 && minor < 8)) {
        errno = ENOTSUP;
        return -1;
    }
    return syncfs(descriptor);
#else
    errno = ENOTSUP;
    return -1;
#endif
}

void haul_name_thread(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
#if defined(__APPLE__)
    pthread_setname_np(cut);
#elif defined(__linux__)
    pthread_setname_np(pthread_self(), cut);
#endif
}
