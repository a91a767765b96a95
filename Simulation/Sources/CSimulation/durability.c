// What a crash leaves of the files: what was synced, and of the rest what the disk happens to have.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, MOST_CHANGES = 2048 };

// MARK: Bytes

static void note_unsynced(struct node *node) {
  if (!node->is_unsynced) node->least = node->stable_size;
  node->is_unsynced = true;
  if (node->size < node->least) node->least = node->size;
}

void disk_resized(struct node *node) { note_unsynced(node); }

void disk_wrote(struct node *node, size_t start, size_t end) {
  note_unsynced(node);
  if (start == end) return;
  struct range *last = node->range_count ? &node->ranges[node->range_count - 1] : NULL;
  if (last && last->start == start && last->end == end) return;
  if (node->range_count == node->range_capacity) {
    node->range_capacity = node->range_capacity ? node->range_capacity * 2 : 8;
    node->ranges = realloc(node->ranges, (size_t)node->range_capacity * sizeof *node->ranges);
  }
  node->ranges[node->range_count++] = (struct range){start, end};
}

static void set_stable_size(struct node *node, size_t size) {
  if (size > node->stable_capacity) {
    node->stable_capacity = node->stable_capacity * 2 > size ? node->stable_capacity * 2 : size;
    node->stable = realloc(node->stable, node->stable_capacity);
  }
  if (size > node->stable_size) memset(node->stable + node->stable_size, 0, size - node->stable_size);
  node->stable_size = size;
}

/// A part of what was written reaches the disk.
static void put(struct node *node, size_t start, size_t end) {
  if (end > node->size) end = node->size;
  if (start >= end) return;
  if (end > node->stable_size) set_stable_size(node, end);
  memcpy(node->stable + start, node->bytes + start, end - start);
}

static void put_size(struct node *node) {
  if (node->least < node->stable_size) set_stable_size(node, node->least);
}

void node_sync(struct node *node) {
  put_size(node);
  for (int i = 0; i < node->range_count; i++) put(node, node->ranges[i].start, node->ranges[i].end);
  set_stable_size(node, node->size);
  node->range_count = 0;
  node->is_unsynced = false;
}

void node_damage(struct node *node) {
  if (node->is_unsynced) node->is_damaged = true;
  node->range_count = 0;
}

/// What is written reaches the disk in parts, or not at all.
static void tear(struct node *node) {
  struct draw *draw = &kernel.draws[DRAW_DISK];
  switch (draw_below(draw, 3)) {
    case 0: return;
    case 1: {
      // The first writes, and a part of the next one.
      put_size(node);
      uint64_t whole = draw_below(draw, (uint64_t)node->range_count + 1);
      for (int i = 0; i < node->range_count && (uint64_t)i <= whole; i++) {
        struct range range = node->ranges[i];
        if ((uint64_t)i == whole) range.end = range.start + draw_below(draw, range.end - range.start);
        put(node, range.start, range.end);
      }
      return;
    }
    default:
      // Any of the sectors, in whatever order they were written; the size on its own.
      if (draw_below(draw, 2)) put_size(node);
      if (draw_below(draw, 2) && node->size > node->stable_size) set_stable_size(node, node->size);
      for (int i = 0; i < node->range_count; i++) {
        struct range range = node->ranges[i];
        for (size_t start = range.start, end; start < range.end; start = end) {
          end = (start / SECTOR + 1) * SECTOR;
          if (end > range.end) end = range.end;
          if (draw_below(draw, 2)) put(node, start, end);
        }
      }
  }
}

static void crash_bytes(struct node *node) {
  if (!node->is_unsynced && !node->is_damaged) return;
  if (node->is_unsynced && fault_is_due(DRAW_DISK, kernel.weather.unsynced_loss)) tear(node);
  else if (node->is_unsynced) node_sync(node);
  node->host->disk_used += node->stable_size - node->size;
  free(node->bytes);
  node->capacity = node->size = node->stable_size;
  node->bytes = malloc(node->capacity + 1);
  if (node->size) memcpy(node->bytes, node->stable, node->size);
  node->range_count = 0;
  node->is_unsynced = node->is_damaged = false;
}

// MARK: Names

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

// MARK: The disk

static void for_each_file(struct node *directory, void (*body)(struct node *node)) {
  for (struct entry *entry = directory->entries; entry; entry = entry->next) {
    if (S_ISDIR(entry->node->mode)) for_each_file(entry->node, body);
    else if (S_ISREG(entry->node->mode)) body(entry->node);
  }
}

void disk_crash(struct sim_host *host) {
  for (struct change *change = host->changes; change; change = change->next) {
    change->is_kept = is_needed(host, change) || !fault_is_due(DRAW_DISK, kernel.weather.unsynced_loss);
    if (!change->is_kept) undo(change);
  }
  changes_free(host);
  if (host->root) for_each_file(host->root, crash_bytes);
}

void disk_sync_all(struct sim_host *host) {
  changes_free(host);
  if (host->root) for_each_file(host->root, node_sync);
}

int disk_fault(struct sim_host *host, bool needs_room) {
  if (host->is_disk_broken) return -EIO;
  if (!fault_is_due(DRAW_DISK, kernel.weather.disk_error)) return 0;
  switch (draw_below(&kernel.draws[DRAW_DISK], needs_room ? 3 : 2)) {
    case 0: return -EIO;
    case 1: return -EINTR;
    default: return -ENOSPC;
  }
}
