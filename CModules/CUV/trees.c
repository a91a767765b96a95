// Trees of files, in one job of the thread pool: a request for each name would cost more than the work itself. Names are used in open
// folders, and no symbolic link is followed on the way: somebody may put one in the place of a folder meanwhile.
#define _GNU_SOURCE
#include "trees.h"

#include <dirent.h>

/// How deep a tree may be: each level is an open folder, or two.
enum { DEPTH = 256 };

/// How often a folder is emptied that others fill meanwhile.
enum { PASSES = 16 };

void cuv_strip_slashes(char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') path[--length] = 0;
}

void cuv_walk_begin(struct walk *walk, struct cuv_file_job *job, const char *path) {
  walk->job = job;
  walk->depth = 0;
  walk->length = strlen(path) < PATH_ROOM ? strlen(path) : 0;
  memcpy(walk->path, path, walk->length);
}

int cuv_walk_fail(struct walk *walk, int error) {
  if (error == 0 || error == UV_ECANCELED || walk->job->failed) return error;
  walk->path[walk->length] = 0;
  walk->job->failed = strdup(walk->path);
  return error;
}

int cuv_walk_folder(struct walk *walk, int folder, cuv_walk_step how, int to) {
  DIR *list = walk->depth >= DEPTH ? NULL : fdopendir(folder);
  if (!list) {
    int error = walk->depth >= DEPTH ? UV_ENAMETOOLONG : last_error();
    close(folder);
    return cuv_walk_fail(walk, error);
  }
  walk->depth++;
  int error = 0;
  while (!error) {
    errno = 0;
    struct dirent *entry = readdir(list);
    if (!entry) {
      error = errno ? cuv_walk_fail(walk, last_error()) : 0;
      break;
    }
    const char *name = entry->d_name;
    if (name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0))) continue;
    size_t before = walk->length, length = strlen(name);
    if (before + length + 2 > PATH_ROOM) {
      error = cuv_walk_fail(walk, UV_ENAMETOOLONG);
      break;
    }
    walk->path[walk->length++] = '/';
    memcpy(walk->path + walk->length, name, length);
    walk->length += length;
    error = cuv_file_job_is_cancelled(walk->job) ? UV_ECANCELED : how(walk, folder, to, name);
    walk->length = before;
  }
  walk->depth--;
  closedir(list);
  return error;
}

// MARK: Removing

static int remove_folder(struct walk *walk, int directory, const char *name);

/// Removes a name. Somebody may have done so before.
static int remove_name(struct walk *walk, int directory, int unused, const char *name) {
  (void)unused;
  if (unlinkat(directory, name, 0) == 0) {
    COUNT(walk, files, 1);
    return 0;
  }
  if (errno == ENOENT) return 0;
  // Linux has one error for a folder, POSIX the other.
  if (errno != EISDIR && errno != EPERM) return cuv_walk_fail(walk, last_error());
  int error = last_error(), folder = remove_folder(walk, directory, name);
  return folder == UV_ENOTDIR ? cuv_walk_fail(walk, error) : cuv_walk_fail(walk, folder);
}

static int remove_folder(struct walk *walk, int directory, const char *name) {
  int error = 0;
  for (int pass = 0; pass < PASSES; pass++) {
    int folder = openat(directory, name, FOLDER);
    if (folder < 0) return errno == ENOENT ? 0 : errno == ELOOP ? UV_ENOTDIR : last_error();
    error = cuv_walk_folder(walk, folder, remove_name, -1);
    if (error) return error;
    if (unlinkat(directory, name, AT_REMOVEDIR) == 0) {
      COUNT(walk, folders, 1);
      return 0;
    }
    if (errno == ENOENT) return 0;
    error = last_error();
    // Somebody has added names. Some file systems leave names out of a list while others are removed.
    if (error != UV_ENOTEMPTY && error != UV_EEXIST) return error;
  }
  return error;
}

/// Whether a path ends with a name, and not with `/`, `.` or `..`.
static bool has_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

int cuv_remove_names(struct cuv_file_job *job, const char *path) {
  struct walk walk;
  struct stat status;
  cuv_walk_begin(&walk, job, path);
  if (fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) < 0) return last_error();
  if (!has_name(path)) return UV_EINVAL;
  return remove_name(&walk, AT_FDCWD, -1, path);
}

int cuv_remove_tree(struct cuv_file_job *job) {
  cuv_strip_slashes(job->path);
  return cuv_file_job_finish(job, cuv_remove_names(job, job->path));
}

// MARK: Making

/// Makes a folder, or finds one. `mode`: its permissions, from which the process's mask is subtracted.
static int make_folder(const char *path, int mode) {
  struct stat status;
  if (mkdir(path, (mode_t)mode) == 0) return 0;
  int error = last_error();
  // A folder that is there may be one in which nothing can be made. A link that leads to nothing is there, too.
  if (stat(path, &status) < 0) return error == UV_EEXIST ? UV_ENOTDIR : error;
  return S_ISDIR(status.st_mode) ? 0 : UV_ENOTDIR;
}

int cuv_make_folders(struct cuv_file_job *job) {
  int error = make_folder(job->path, job->mode);
  for (char *slash = error == UV_ENOENT ? strchr(job->path + (*job->path == '/'), '/') : NULL; slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    // The folders on the way have to be usable.
    int made = make_folder(job->path, job->mode | 0300);
    if (made) job->failed = strdup(job->path);
    *slash = '/';
    if (made) return made;
    error = UV_ENOENT;
  }
  if (error == UV_ENOENT) error = make_folder(job->path, job->mode);
  return cuv_file_job_finish(job, error);
}
