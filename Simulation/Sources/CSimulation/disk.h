/// The files of a host, in memory.
#pragma once

#include "network.h"

#include <sys/stat.h>

struct node;

struct entry {
  struct entry *next;
  struct node *node;
  char name[];
};

struct node {
  uint32_t mode, links, owner, group;
  /// Open files and calls that refer to it.
  int references;
  uint64_t number;
  uint64_t accessed, changed, modified, born;
  // A file's bytes, or a link's target.
  char *bytes;
  size_t size, capacity;
  // A directory's, in the order in which they were made.
  struct entry *entries;
  struct node *parent;
  /// The socket that is bound here.
  struct socket *socket;
};

/// An open file or directory.
struct open_file {
  struct file file;
  struct node *node;
  size_t offset;
};

extern const struct kind disk_kind;

struct node *node_make(struct sim_host *host, uint32_t mode);
void node_hold(struct node *node);
void node_release(struct node *node);
void node_link(struct node *directory, const char *name, struct node *node);
struct entry *node_entry(struct node *directory, const char *name);
void node_unlink(struct node *directory, struct entry *entry);
/// Makes the file longer or shorter.
int node_resize(struct node *node, size_t size);
void node_free_all(struct node *root);

/// What a path names.
struct place {
  struct node *directory;
  /// Null if there is none of that name.
  struct node *node;
  char name[256];
};

/// Finds what a path names; an error is negative. The last part may be missing, but its directory not.
int disk_find(struct sim_host *host, const char *path, bool follows, struct place *place);
int disk_find_at(struct sim_host *host, int directory, const char *path, bool follows, struct place *place);
int disk_open(struct sim_host *host, int directory, const char *path, int flags, uint32_t mode);
void disk_status(const struct node *node, struct stat *status);
struct node *disk_root(struct sim_host *host);
uint64_t disk_now(void);
