// What a crash leaves of the names of files: a change of a directory that wasn't synced may be undone.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 2048 };

/// A name that means something else now.
struct change {
  struct change *next;
  struct node *directory, *before, *after, *from_directory;
  char *name, *from_name;
  bool is_kept;
};

static void hold(struct node *node) {
  if (node) node->changes++;
}

static void release(struct node *node) {
  if (!node) return;
  node->changes--;
  node_free(node);
}

static void change_free(struct change *change) {
  release(change->before);
  release(change->after);
  release(change->from_directory);
  release(change->directory);
  free(change->name);
  free(change->from_name);
  free(change);
}

/// Takes a change out of the list.
static void take(struct sim_host *host, struct change **place) {
  struct change *change = *place;
  *place = change->next;
  host->change_count--;
  change_free(change);
}

void change_note(
    struct sim_host *host, struct node *directory, const char *name, struct node *before, struct node *after,
    struct node *from_directory, const char *from_name) {
  struct change *change = calloc(1, sizeof *change);
  *change = (struct change){
      .next = host->changes, .directory = directory, .before = before, .after = after,
      .from_directory = from_directory, .name = strdup(name), .from_name = from_name ? strdup(from_name) : NULL};
  hold(directory);
  hold(before);
  hold(after);
  hold(from_directory);
  host->changes = change;
  if (++host->change_count <= MOST_CHANGES) return;
  // What is older than so many changes is on the disk.
  struct change **place = &host->changes;
  for (int i = 0; i < MOST_CHANGES / 2; i++) place = &(*place)->next;
  while (*place) take(host, place);
}

void creation_sync(struct sim_host *host, struct node *node) {
  struct node *directory = NULL;
  for (struct change **place = &host->changes; *place;) {
    if ((*place)->after == node && !(*place)->from_directory) {
      directory = (*place)->directory;
      take(host, place);
    } else {
      place = &(*place)->next;
    }
  }
  if (directory) creation_sync(host, directory);
}

void directory_sync(struct sim_host *host, struct node *directory) {
  bool has_moved = false;
  for (struct change **place = &host->changes; *place;) {
    struct change *change = *place;
    if (change->directory != directory && change->from_directory != directory) {
      place = &change->next;
      continue;
    }
    // What was moved into a new directory isn't lost with it.
    if (change->from_directory && change->from_directory != directory) has_moved = true;
    take(host, place);
  }
  if (has_moved) creation_sync(host, directory);
}

static bool is_name(const struct node *directory, const char *name, const struct node *other, const char *other_name) {
  return directory && directory == other && strcmp(name, other_name) == 0;
}

/// Whether something that is kept stands on the change.
static bool is_needed(const struct sim_host *host, const struct change *change) {
  for (const struct change *later = host->changes; later != change; later = later->next) {
    if (!later->is_kept) continue;
    // Changes of one name keep their order.
    if (is_name(change->directory, change->name, later->directory, later->name) ||
        is_name(change->directory, change->name, later->from_directory, later->from_name) ||
        is_name(change->from_directory, change->from_name, later->directory, later->name) ||
        is_name(change->from_directory, change->from_name, later->from_directory, later->from_name))
      return true;
    // What was moved is in a directory that is there, and what has gone isn't in one that has gone.
    if (later->from_directory && later->directory == change->after) return true;
    if (later->before && (later->before == change->directory || later->before == change->from_directory)) return true;
  }
  return false;
}

void name_sync(struct sim_host *host, struct node *directory, const struct node *node) {
  for (struct change *change = host->changes; change; change = change->next)
    change->is_kept = change->after == node || is_needed(host, change);
  for (struct change **place = &host->changes; *place;) {
    if ((*place)->is_kept) take(host, place);
    else place = &(*place)->next;
  }
  creation_sync(host, directory);
}

static void forget(struct node *directory, struct entry *entry) {
  struct node *node = entry->node;
  if (S_ISDIR(node->mode) && node->links == 1) {
    while (node->entries) forget(node, node->entries);
  }
  node_unlink(directory, entry);
}

static void undo(struct change *change) {
  struct entry *entry = node_entry(change->directory, change->name);
  if (change->after ? !entry || entry->node != change->after : entry != NULL) return;
  if (change->from_directory) {
    if (node_entry(change->from_directory, change->from_name)) return;
    node_unlink(change->directory, entry);
    node_link(change->from_directory, change->from_name, change->after);
  } else if (entry) {
    forget(change->directory, entry);
  }
  if (change->before) node_link(change->directory, change->name, change->before);
}

void changes_free(struct sim_host *host) {
  while (host->changes) take(host, &host->changes);
}

void names_crash(struct sim_host *host) {
  for (struct change *change = host->changes; change; change = change->next) {
    change->is_kept = is_needed(host, change) || !fault_is_due(DRAW_DISK, kernel.weather.unsynced_loss);
    if (!change->is_kept) undo(change);
  }
  changes_free(host);
}
