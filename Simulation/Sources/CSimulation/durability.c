// What a crash leaves of the bytes of files: what was synced, and of the rest what the disk happens to have.

#include "disk.h"

#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

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

// MARK: The disk

static void for_each_file(struct node *directory, void (*body)(struct node *node)) {
  for (struct entry *entry = directory->entries; entry; entry = entry->next) {
    if (S_ISDIR(entry->node->mode)) for_each_file(entry->node, body);
    else if (S_ISREG(entry->node->mode)) body(entry->node);
  }
}

void disk_crash(struct sim_host *host) {
  names_crash(host);
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
