// The walk through a tree of files, for trees.c and tree_copies.c.
#pragma once
#include "cuv.h"

#include <fcntl.h>

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

/// The longest path that Linux takes, with its NUL.
enum { PATH_ROOM = 4096 };

/// Where a job is in its tree.
struct walk {
  struct cuv_file_job *job;
  int depth;
  /// The path that the job is at, for its error.
  size_t length;
  char path[PATH_ROOM];
};

/// A step of a walk, for a name in the folder `from`. Returns 0 or an error, at which the others are left.
typedef int (*cuv_walk_step)(struct walk *walk, int from, int to, const char *name);

void cuv_walk_begin(struct walk *walk, struct cuv_file_job *job, const char *path);

/// Notes at which path a job has failed: the first one, since its folders fail with it. Returns the error.
int cuv_walk_fail(struct walk *walk, int error);

/// Does something for each name in a folder, which it closes.
int cuv_walk_folder(struct walk *walk, int folder, cuv_walk_step how, int to);

/// Without the slashes at the end, which would have a symbolic link followed.
void cuv_strip_slashes(char *path);

/// Removes a tree, but doesn't end the job.
int cuv_remove_names(struct cuv_file_job *job, const char *path);

static inline int last_error(void) { return uv_translate_sys_error(errno); }

static inline void cuv_count(uint64_t *counter, uint64_t more) { __atomic_fetch_add(counter, more, __ATOMIC_RELAXED); }
#define COUNT(walk, what, more) \
  do { if ((walk)->job->progress) cuv_count(&(walk)->job->progress->what, more); } while (0)
