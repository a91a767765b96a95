// Watchers of files and directories: inotify.

#include "disk.h"
#include "real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

/// The events that wait to be read, at most; Linux's usual limit.
enum { MOST_EVENTS = 16384 };

struct inotify;

/// One file or directory that an instance watches.
struct notice {
  /// The host's next one.
  struct notice *next;
  struct inotify *owner;
  struct node *node;
  int number;
  uint32_t mask;
};

struct inotify {
  struct file file;
  struct sim_host *host;
  /// Events as they are read.
  struct buffer events;
  /// Where the last one begins, by bytes from the first one; one that says the same isn't put behind it.
  size_t last;
  int count, last_number;
};

static uint32_t inotify_poll(struct file *file) { return ((struct inotify *)file)->count ? EPOLLIN : 0; }

static int inotify_readable(struct file *file) { return (int)((struct inotify *)file)->events.count; }

static void put(struct inotify *inotify, int number, uint32_t mask, uint32_t cookie, const char *name) {
  if (inotify->count == MOST_EVENTS) number = -1, mask = IN_Q_OVERFLOW, cookie = 0, name = "";
  // A name is followed by zeros up to a multiple of the event's own size.
  size_t length = strlen(name), room = length ? (length / 16 + 1) * 16 : 0;
  struct {
    struct inotify_event event;
    char name[272];
  } whole = {.event = {.wd = number, .mask = mask, .cookie = cookie, .len = (uint32_t)room}};
  memcpy(whole.name, name, length);
  struct iovec part = {&whole, sizeof whole.event + room};
  struct buffer *events = &inotify->events;
  if (inotify->count && events->count - inotify->last == part.iov_len &&
      memcmp(events->bytes + events->start + inotify->last, &whole, part.iov_len) == 0)
    return;
  if (inotify->count > MOST_EVENTS) return;
  inotify->last = events->count;
  inotify->count++;
  buffer_put(events, &part, 1, 0, part.iov_len);
  file_changed(&inotify->file);
}

static ssize_t inotify_read(struct file *file, const struct iovec *parts, int count) {
  struct inotify *inotify = (struct inotify *)file;
  struct buffer *events = &inotify->events;
  if (!inotify->count) return -EAGAIN;
  // Whole events alone are read.
  size_t room = parts_size(parts, count), size = 0;
  while (size < events->count) {
    struct inotify_event event;
    memcpy(&event, events->bytes + events->start + size, sizeof event);
    if (size + sizeof event + event.len > room) break;
    size += sizeof event + event.len;
    inotify->count--;
  }
  if (!size) return -EINVAL;
  buffer_copy(events, 0, parts, count, size);
  buffer_drop(events, size);
  inotify->last = inotify->last > size ? inotify->last - size : 0;
  return (ssize_t)size;
}

/// Ends the watching of one file, and says so.
static void end(struct notice *notice) {
  struct notice **place = &notice->owner->host->notices;
  while (*place != notice) place = &(*place)->next;
  *place = notice->next;
  put(notice->owner, notice->number, IN_IGNORED, 0, "");
  free(notice);
}

static void inotify_close(struct file *file) {
  struct inotify *inotify = (struct inotify *)file;
  for (struct notice **place = &inotify->host->notices; *place;) {
    struct notice *notice = *place;
    if (notice->owner != inotify) {
      place = &notice->next;
      continue;
    }
    *place = notice->next;
    free(notice);
  }
  buffer_free(&inotify->events);
}

static const struct kind inotify_kind = {
    .name = "inotify", .type = 0, .poll = inotify_poll, .read = inotify_read, .readable = inotify_readable,
    .close = inotify_close};

// MARK: What happens

void notice_names(struct node *directory, const char *name, const struct node *node, uint32_t mask, uint32_t cookie) {
  uint32_t kind = S_ISDIR(node->mode) ? IN_ISDIR : 0;
  for (struct notice *notice = directory->host->notices; notice; notice = notice->next) {
    if (notice->node == directory && (notice->mask & mask)) put(notice->owner, notice->number, mask | kind, cookie, name);
  }
}

void notice_node(struct node *node, uint32_t mask) {
  uint32_t kind = S_ISDIR(node->mode) && !(mask & (IN_DELETE_SELF | IN_MOVE_SELF)) ? IN_ISDIR : 0;
  for (struct notice *notice = node->host->notices; notice; notice = notice->next) {
    if (notice->node == node && (notice->mask & mask)) put(notice->owner, notice->number, mask | kind, 0, "");
    // A directory's watcher hears of what is in it, too.
    if (mask & (IN_DELETE_SELF | IN_MOVE_SELF) || !S_ISDIR(notice->node->mode) || !(notice->mask & mask)) continue;
    for (struct entry *entry = notice->node->entries; entry; entry = entry->next) {
      if (entry->node == node) put(notice->owner, notice->number, mask | kind, 0, entry->name);
    }
  }
}

void notice_end(struct node *node) {
  notice_node(node, IN_DELETE_SELF);
  for (struct notice *notice = node->host->notices, *next; notice; notice = next) {
    next = notice->next;
    if (notice->node == node) end(notice);
  }
}

// MARK: Calls

int inotify_init1(int flags) {
  if (!IS_SIMULATED) return REAL(inotify_init1)(flags);
  int code = planned(CALL_inotify);
  if (code == 0) {
    struct inotify *inotify = file_make(&inotify_kind, sizeof *inotify, flags & O_NONBLOCK);
    inotify->host = sim_self->host;
    code = descriptor_make(&inotify->file, flags & O_CLOEXEC);
  }
  return (int)traced(CALL_inotify, -1, code, 0);
}

int inotify_init(void) { return IS_SIMULATED ? inotify_init1(0) : REAL(inotify_init)(); }

static struct inotify *inotify_of(int descriptor, int *code) {
  struct file *file = file_of(descriptor);
  *code = !file ? -EBADF : file->kind != &inotify_kind ? -EINVAL : 0;
  return *code < 0 ? NULL : (struct inotify *)file;
}

/// What a path names. The name of a descriptor in /proc names what that has open, wherever it is by now.
static int find_watched(const char *path, uint32_t mask, struct node **node) {
  int number, length = 0, code;
  if (sscanf(path, "/proc/self/fd/%d%n", &number, &length) == 1 && !path[length]) {
    struct open_file *open = disk_file_of(number, &code);
    *node = open ? open->node : NULL;
    return open ? 0 : -ENOENT;
  }
  struct place place;
  if ((code = disk_find(sim_self->host, path, !(mask & IN_DONT_FOLLOW), &place)) < 0) return code;
  *node = place.node;
  return place.node ? 0 : -ENOENT;
}

static int watch(int descriptor, const char *path, uint32_t mask) {
  int code;
  struct inotify *inotify = inotify_of(descriptor, &code);
  if (!inotify || (code = planned(CALL_inotify)) < 0) return code;
  // Nothing is reported here of a file without a name, with IN_EXCL_UNLINK or not.
  if (mask & IN_ONESHOT) {
    fail_missing("inotify_add_watch with IN_ONESHOT", NULL);
    return -ENOSYS;
  }
  if (!(mask & IN_ALL_EVENTS)) return -EINVAL;
  struct node *node;
  if ((code = find_watched(path, mask, &node)) < 0) return code;
  if ((mask & IN_ONLYDIR) && !S_ISDIR(node->mode)) return -ENOTDIR;
  struct notice **last = &inotify->host->notices;
  for (; *last; last = &(*last)->next) {
    struct notice *notice = *last;
    if (notice->owner != inotify || notice->node != node) continue;
    if (mask & IN_MASK_CREATE) return -EEXIST;
    notice->mask = (mask & IN_ALL_EVENTS) | (mask & IN_MASK_ADD ? notice->mask : 0);
    return notice->number;
  }
  struct notice *notice = *last = calloc(1, sizeof *notice);
  *notice = (struct notice){
      .owner = inotify, .node = node, .mask = mask & IN_ALL_EVENTS, .number = ++inotify->last_number};
  return notice->number;
}

int inotify_add_watch(int descriptor, const char *path, uint32_t mask) {
  if (!IS_SIMULATED) return LEFT("inotify_add_watch", descriptor, REAL(inotify_add_watch)(descriptor, path, mask));
  return (int)traced(CALL_inotify, descriptor, watch(descriptor, path, mask), hash_bytes(path, strlen(path)));
}

static int unwatch(int descriptor, int number) {
  int code;
  struct inotify *inotify = inotify_of(descriptor, &code);
  if (!inotify) return code;
  for (struct notice *notice = inotify->host->notices; notice; notice = notice->next) {
    if (notice->owner != inotify || notice->number != number) continue;
    end(notice);
    return 0;
  }
  return -EINVAL;
}

int inotify_rm_watch(int descriptor, int number) {
  if (!IS_SIMULATED) return LEFT("inotify_rm_watch", descriptor, REAL(inotify_rm_watch)(descriptor, number));
  return (int)traced(CALL_inotify, descriptor, unwatch(descriptor, number), (uint64_t)number);
}
