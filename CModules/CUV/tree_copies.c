// Copies of trees of files, and moves to another file system, in one job of the thread pool.
#define _GNU_SOURCE
#include "trees.h"

#include <dirent.h>

static int copy_entry(struct walk *walk, int from, const char *name, int to, const char *copy);

static int copy_name(struct walk *walk, int from, int to, const char *name) {
  return copy_entry(walk, from, name, to, name);
}

static int set_times(struct walk *walk, int descriptor, const struct stat *original) {
  if (!walk->job->sync) return 0;
#ifdef __APPLE__
  struct timespec times[2] = {original->st_atimespec, original->st_mtimespec};
#else
  struct timespec times[2] = {original->st_atim, original->st_mtim};
#endif
  return futimens(descriptor, times) < 0 && errno != EPERM ? last_error() : 0;
}

/// The result for a name that can't be used. Somebody may have removed it or renamed it meanwhile, but not the top of the tree.
static int cannot_use(struct walk *walk) {
  return errno == ENOENT && walk->depth > 0 ? 0 : cuv_walk_fail(walk, last_error());
}

static int copy_folder(struct walk *walk, int from, const char *name, int to, const char *copy, const struct stat *original) {
  struct stat status;
  int source = openat(from, name, FOLDER);
  if (source < 0) return cannot_use(walk);
  // Only its owner may use it until it is complete, who has to be able to.
  bool is_made = mkdirat(to, copy, 0700) == 0;
  int error = is_made || (errno == EEXIST && !(walk->job->mode & UV_FS_COPYFILE_EXCL)) ? 0 : last_error();
  int target = error ? -1 : openat(to, copy, FOLDER);
  if (!error && target < 0) error = errno == ELOOP ? UV_ENOTDIR : last_error();
  if (!error) error = cuv_walk_folder(walk, source, copy_name, target);
  else close(source);
  if (!error && is_made && fstat(target, &status) < 0) error = last_error();
  if (!error && is_made && fchmod(target, cuv_copied_mode(original, &status)) < 0 && errno != EPERM && errno != ENOTSUP)
    error = last_error();
  if (!error && is_made) error = set_times(walk, target, original);
  if (target >= 0) close(target);
  if (!error) COUNT(walk, folders, 1);
  return cuv_walk_fail(walk, error);
}

static int copy_link(struct walk *walk, int from, const char *name, int to, const char *copy) {
  char target[PATH_ROOM];
  ssize_t length = readlinkat(from, name, target, sizeof target - 1);
  if (length < 0) return cannot_use(walk);
  target[length] = 0;
  int code = symlinkat(target, to, copy);
  if (code < 0 && errno == EEXIST && !(walk->job->mode & UV_FS_COPYFILE_EXCL)) {
    if (unlinkat(to, copy, 0) == 0) code = symlinkat(target, to, copy);
  }
  if (code < 0) return cuv_walk_fail(walk, last_error());
  COUNT(walk, files, 1);
  return 0;
}

/// Opens the file to copy to. A symbolic link with its name is replaced, and not followed.
static int open_copy(struct walk *walk, int to, const char *copy) {
  int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  if (walk->job->mode & UV_FS_COPYFILE_EXCL) flags |= O_EXCL;
  int file = openat(to, copy, flags, 0600);
  if (file < 0 && errno == ELOOP && unlinkat(to, copy, 0) == 0) file = openat(to, copy, flags | O_EXCL, 0600);
  return file < 0 ? last_error() : file;
}

static int copy_file(struct walk *walk, int from, const char *name, int to, const char *copy) {
  struct stat original, status;
  int source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (source < 0) return cannot_use(walk);
  int error = fstat(source, &original) < 0 ? last_error() : S_ISREG(original.st_mode) ? 0 : UV_EINVAL;
  int target = error ? -1 : open_copy(walk, to, copy);
  if (!error && (target < 0 || fstat(target, &status) < 0)) error = target < 0 ? target : last_error();
  if (!error && !S_ISREG(status.st_mode)) error = UV_EINVAL;
  else if (!error && (status.st_dev != original.st_dev || status.st_ino != original.st_ino)) {
    error = ftruncate(target, 0) < 0 ? last_error() : cuv_fill_copy(walk->job, source, target, &original, &status);
    if (!error) error = set_times(walk, target, &original);
    if (error) unlinkat(to, copy, 0);
  }
  close(source);
  int closed = target >= 0 ? cuv_close(target) : 0;
  if (!error) error = closed;
  if (error) return cuv_walk_fail(walk, error);
  COUNT(walk, files, 1);
  COUNT(walk, bytes, (uint64_t)original.st_size);
  return 0;
}

/// Copies what has a name.
static int copy_entry(struct walk *walk, int from, const char *name, int to, const char *copy) {
  struct stat status;
  if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return cannot_use(walk);
  if (S_ISDIR(status.st_mode)) return copy_folder(walk, from, name, to, copy, &status);
  if (S_ISLNK(status.st_mode)) return copy_link(walk, from, name, to, copy);
  if (S_ISREG(status.st_mode)) return copy_file(walk, from, name, to, copy);
  return cuv_walk_fail(walk, S_ISFIFO(status.st_mode) ? CUV_IS_FIFO : S_ISSOCK(status.st_mode) ? CUV_IS_SOCKET : UV_EINVAL);
}

/// Whether a copy would be a part of its original, or the original itself.
static bool is_within(const char *path, const char *original) {
  struct stat top, status;
  if (stat(original, &top) < 0 || !S_ISDIR(top.st_mode)) return false;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (folder < 0) {
    const char *slash = strrchr(path, '/');
    char *parent = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    folder = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK) : -1;
    free(parent);
  }
  bool is_found = false;
  uint64_t inode = 0, device = 0;
  for (int level = 0; folder >= 0 && level < PATH_ROOM && fstat(folder, &status) == 0; level++) {
    is_found = status.st_dev == top.st_dev && status.st_ino == top.st_ino;
    // The root is its own parent.
    if (is_found || (level > 0 && (uint64_t)status.st_ino == inode && (uint64_t)status.st_dev == device)) break;
    inode = status.st_ino;
    device = (uint64_t)status.st_dev;
    int above = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    close(folder);
    folder = above;
  }
  if (folder >= 0) close(folder);
  return is_found;
}

static int copy_tree(struct cuv_file_job *job) {
  struct walk walk;
  cuv_strip_slashes(job->path);
  cuv_strip_slashes(job->target);
  cuv_walk_begin(&walk, job, job->path);
  if (is_within(job->target, job->path)) return UV_EINVAL;
  return copy_entry(&walk, AT_FDCWD, job->path, AT_FDCWD, job->target);
}

int cuv_copy_tree(struct cuv_file_job *job) {
  return cuv_file_job_finish(job, copy_tree(job));
}

// MARK: Moving

/// Whether the target may be replaced, as `rename` does: a file by a file, and an empty folder by a folder.
static int check_target(struct cuv_file_job *job) {
  struct stat source, target;
  if (lstat(job->path, &source) < 0) return last_error();
  if (!S_ISREG(source.st_mode) && !S_ISDIR(source.st_mode) && !S_ISLNK(source.st_mode)) return UV_EXDEV;
  if (lstat(job->target, &target) < 0) return errno == ENOENT ? 0 : last_error();
  if (S_ISDIR(source.st_mode) != S_ISDIR(target.st_mode)) return S_ISDIR(target.st_mode) ? UV_EISDIR : UV_ENOTDIR;
  if (!S_ISDIR(target.st_mode)) return 0;
  DIR *list = opendir(job->target);
  if (!list) return last_error();
  int count = 0;
  while (count < 3 && readdir(list)) count++;
  closedir(list);
  // `.` and `..` are in each.
  return count < 3 ? 0 : UV_ENOTEMPTY;
}

/// A name beside the target, from malloc, for a copy that is renamed when it is complete. So nothing that is there is lost
/// before.
static char *name_beside(const char *target) {
  char last[24];
  const char *slash = strrchr(target, '/');
  size_t length = slash ? (size_t)(slash + 1 - target) : 0;
  char *name = cuv_temporary_name(last) < 0 ? NULL : malloc(length + sizeof last);
  if (!name) return NULL;
  memcpy(name, target, length);
  strcpy(name + length, last);
  return name;
}

int cuv_move(struct cuv_file_job *job) {
  if (cuv_file_job_is_cancelled(job)) return UV_ECANCELED;
  if (rename(job->path, job->target) == 0) return cuv_file_job_commit(job), 0;
  if (errno != EXDEV) return last_error();
  cuv_strip_slashes(job->target);
  char *target = job->target;
  int error = check_target(job);
  if (error) return error;
  if (!(job->target = name_beside(target))) {
    job->target = target;
    return UV_ENOMEM;
  }
  job->sync = 1;
  job->mode = UV_FS_COPYFILE_EXCL;
  error = cuv_file_job_finish(job, copy_tree(job));
  if (!error && rename(job->target, target) < 0) error = last_error();
  // The copy is complete, or nothing of it is to be left.
  struct cuv_file_job removal = {.path = error ? job->target : job->path};
  int removed = cuv_remove_names(&removal, removal.path);
  free(job->target);
  job->target = target;
  if (!error && removed) {
    error = removed;
    job->failed = removal.failed;
  } else {
    free(removal.failed);
  }
  return error;
}
