// Watching a folder and all below it on Linux, where libuv's flag for that does nothing. They are in folders.c.
// But for the first and the last two, the functions run on the thread pool. Each returns a libuv error code if it
// fails.
#pragma once

#ifdef __linux__
#include <stdbool.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/types.h>

/// Opens the folder at the top of a tree, whose descriptor the other functions take as `root`. As long as it is open, the
/// system says nothing of its end.
int cuv_folder_open(const char *path, uint64_t *device, uint64_t *inode);

/// A descriptor to read events from.
int cuv_inotify_open(void);

/// A folder that is being looked at.
struct cuv_folder {
  /// The open folder, to list and then to close.
  int descriptor;
  /// The number of its watch, which a folder keeps for as long as it is watched, whatever its path.
  int watch;
  /// Whether its names have changed since the time that was asked for.
  bool has_changed;
};

/// Opens a folder below `root` and watches it. No symbolic link is followed.
///
/// `since`: nanoseconds on the clock of `cuv_folder_time`.
int cuv_folder_watch(int events, int root, const char *path, int64_t since, struct cuv_folder *folder);

enum { CUV_ENTRY = 4, CUV_ENTRY_FOLDER = 1, CUV_ENTRY_CHANGED = 2 };

/// Reads some of the names in an open folder: those of folders, of what has changed, or all. For each there is a byte
/// of flags, and the name with a NUL. Returns how many bytes these are; 0 at the end. `since` may be INT64_MAX, which
/// asks for no changes and saves the time. `buffer` is aligned to 8 bytes.
ssize_t cuv_folder_list(int descriptor, int64_t since, bool all, char *buffer, size_t size);

/// Ends a watch.
void cuv_folder_forget(int events, int watch);

/// Reads the events that there are. Returns how many bytes; 0 if there are none.
ssize_t cuv_inotify_read(int events, char *buffer, size_t size);

/// The time that the system writes to files that change now.
int64_t cuv_folder_time(void);
#endif
