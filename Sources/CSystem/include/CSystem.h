#ifndef HAUL_CSYSTEM_H
#define HAUL_CSYSTEM_H

#include <stdint.h>

/* Calls that the platform modules do not show to Swift. Each sets errno and returns -1 on failure. */

/// Reserves disk blocks and sets the size: fallocate(2), F_PREALLOCATE on Darwin. ENOTSUP where there is none.
int haul_fallocate(int descriptor, int64_t offset, int64_t length);

/// Reserves disk blocks and leaves the size alone: fallocate(2) with FALLOC_FL_KEEP_SIZE.
int haul_fallocate_keeping_size(int descriptor, int64_t offset, int64_t length);

/// Gives the range's blocks back and leaves the size alone: fallocate(2) with FALLOC_FL_PUNCH_HOLE.
int haul_punch_hole(int descriptor, int64_t offset, int64_t length);

/// Opens a file without a name for reading and writing: open(2) with O_TMPFILE. EOPNOTSUPP where there is none.
int haul_open_unnamed(const char *directory, unsigned int mode);

/// Whether fsync(2) of a file without a name and of the directory that it is named in later put it on the disk: fstatfs(2).
/// True of ext4, XFS and tmpfs; Btrfs passes over files without a name, and what a union or network file system does is
/// not known.
int haul_syncs_unnamed(int descriptor);

/// Gives a file without a name one, unless `target` exists (EEXIST): linkat(2). EOPNOTSUPP where there is none.
int haul_name_file(int descriptor, const char *target);

/// Makes a duplicate that children don't inherit: fcntl(2), F_DUPFD_CLOEXEC.
int haul_duplicate(int descriptor);

/// Makes a pipe hold up to `length` bytes: fcntl(2), F_SETPIPE_SZ. A hint.
void haul_widen_pipe(int descriptor, int length);

/// Starts writing dirty pages of the range and does not wait: sync_file_range(2). A hint.
int haul_start_writeback(int descriptor, int64_t offset, int64_t length);

/// Renames unless `target` exists (EEXIST): renameat2(2), renamex_np(2). ENOSYS or EINVAL where there is none.
int haul_rename_exclusively(const char *source, const char *target);

/// fdatasync(2); F_FULLFSYNC on Darwin, where fsync(2) does not reach the medium.
int haul_datasync(int descriptor);

/// fsync(2); F_FULLFSYNC on Darwin.
int haul_sync(int descriptor);

/// Everything on the descriptor's file system: syncfs(2). ENOTSUP where it does not exist or reports no errors.
int haul_sync_file_system(int descriptor);

/// Names the calling thread, cut at 15 bytes: pthread_setname_np(3).
void haul_name_thread(const char *name);

#endif
