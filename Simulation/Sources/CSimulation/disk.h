/// The files of a host, in memory.
#pragma once

#include "network.h"

#include <sys/inotify.h>
#include <sys/stat.h>

struct node;

struct entry {
  struct entry *next;
  struct node *node;
  /// Grows in the order in which the names of a host were made, so that a listing goes on behind a name that has gone.
  uint64_t number;
  char name[];
};

/// A part of a file that was written, and hasn't been synced.
struct range {
  size_t start, end;
};

struct node {
  struct sim_host *host;
  uint32_t mode, links, owner, group;
  /// Open files and calls that refer to it.
  int references;
  /// Changes of names that may be undone refer to it, too.
  int changes;
  /// Whether nobody but those does: it takes no room.
  bool has_gone;
  uint64_t number;
  uint64_t accessed, changed, modified, born;
  // A file's bytes, or a link's target.
  char *bytes;
  size_t size, capacity;
  // What of them is on the disk, and what was written since; see durability.c.
  char *stable;
  size_t stable_size, stable_capacity;
  /// The smallest size since the last sync.
  size_t least;
  struct range *ranges;
  int range_count, range_capacity;
  /// Whether a crash may lose something of it, and whether a sync has failed, so that a crash does.
  bool is_unsynced, is_damaged;
  // A directory's, in the order in which they were made.
  struct entry *entries;
  struct node *parent;
  /// The socket that is bound here.
  struct socket *socket;
};

/// An open file or directory, of which `offset` is the number of the last entry that was listed.
struct open_file {
  struct file file;
  struct node *node;
  size_t offset;
};

extern const struct kind disk_kind;

struct node *node_make(struct sim_host *host, uint32_t mode);
void node_hold(struct node *node);
void node_release(struct node *node);
/// Frees it if nobody refers to it any more.
void node_free(struct node *node);
void node_link(struct node *directory, const char *name, struct node *node);
struct entry *node_entry(struct node *directory, const char *name);
void node_unlink(struct node *directory, struct entry *entry);
/// Makes the file longer or shorter.
int node_resize(struct node *node, size_t size);
void node_free_all(struct node *root);

/// Notifies watchers that a name of a directory has begun or ended to mean that (`IN_CREATE` and its like).
void notice_names(struct node *directory, const char *name, const struct node *node, uint32_t mask, uint32_t cookie);
/// Notifies watchers of a node, and of the directories that it is in, what has happened to it.
void notice_node(struct node *node, uint32_t mask);
/// Notifies them that it is gone, and that nothing of it will be heard.
void notice_end(struct node *node);

/// Notes that a part of a file was written.
void disk_wrote(struct node *node, size_t start, size_t end);
/// Notes that a file has another size now.
void disk_resized(struct node *node);
/// Has what was written last.
void node_sync(struct node *node);
/// A sync has failed: what was written since the last one never reaches the disk.
void node_damage(struct node *node);
/// Notes that a name is about to mean something else: nothing before, or nothing afterwards. A rename says where `after` was.
void change_note(
    struct sim_host *host, struct node *directory, const char *name, struct node *before, struct node *after,
    struct node *from_directory, const char *from_name);
/// Has the names of a directory last.
void directory_sync(struct sim_host *host, struct node *directory);
/// Has the name last that a file was made with.
void creation_sync(struct sim_host *host, struct node *node);
/// Has the names last that a node has now, and what they stand on: it may have been moved there.
void name_sync(struct sim_host *host, struct node *directory, const struct node *node);
/// The directories lose changes that weren't synced, or some of them.
void names_crash(struct sim_host *host);
/// The disk loses what wasn't synced, or a part of it.
void disk_crash(struct sim_host *host);
void disk_sync_all(struct sim_host *host);
void changes_free(struct sim_host *host);
/// An error if the disk fails, for a call that needs room or doesn't.
int disk_fault(struct sim_host *host, bool needs_room);

/// What a path names.
struct place {
  struct node *directory;
  /// Null if there is none of that name.
  struct node *node;
  char name[256];
};

/// Has the path, which names nothing, name a node: a crash may undo it, and watchers hear of it.
void place_fill(const struct place *place, struct node *node);

/// Finds what a path names; an error is negative. The last part may be missing, but its directory not.
int disk_find(struct sim_host *host, const char *path, bool follows, struct place *place);
int disk_find_at(struct sim_host *host, int directory, const char *path, bool follows, struct place *place);
/// Makes a directory, or a symbolic link to `target`.
int disk_make(int directory, const char *path, uint32_t mode, const char *target);
/// The open file of a descriptor; null, and an error in `code`, if that is no file.
struct open_file *disk_file_of(int descriptor, int *code);
int disk_open(struct sim_host *host, int directory, const char *path, int flags, uint32_t mode);
void disk_status(const struct node *node, struct stat *status);
struct node *disk_root(struct sim_host *host);
uint64_t disk_now(void);
/// The next entries of an open directory, as `getdents64` writes them; the bytes that they take, 0 at the end.
long disk_entries(int descriptor, char *to, size_t size);
