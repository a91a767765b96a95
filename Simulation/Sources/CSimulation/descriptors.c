// The descriptors of hosts, and the files that they refer to.

#include "files.h"

#include <stdlib.h>
#include <string.h>

void *file_make(const struct kind *kind, size_t size, int flags) {
  struct file *file = calloc(1, size);
  file->kind = kind;
  file->references = 1;
  file->flags = flags;
  file->number = ++kernel.file_count;
  return file;
}

void file_hold(struct file *file) { file->references++; }

void file_release(struct file *file) {
  if (--file->references > 0) return;
  while (file->watches) {
    struct watch *watch = file->watches;
    watch_remove(watch);
    if (watch->gone) watch->gone(watch);
  }
  if (file->kind->close) file->kind->close(file);
  free(file);
}

void file_changed(struct file *file) {
  for (struct watch *watch = file->watches, *next; watch; watch = next) {
    next = watch->next;
    watch->changed(watch);
  }
  if (file->waiters.first) queue_wake_all(&file->waiters);
}

void watch_add(struct watch *watch, struct file *file) {
  watch->file = file;
  watch->previous = NULL;
  watch->next = file->watches;
  if (file->watches) file->watches->previous = watch;
  file->watches = watch;
}

void watch_remove(struct watch *watch) {
  if (!watch->file) return;
  if (watch->previous) watch->previous->next = watch->next;
  else watch->file->watches = watch->next;
  if (watch->next) watch->next->previous = watch->previous;
  watch->file = NULL;
}

// MARK: Descriptors

struct descriptor *descriptor_at(int number) {
  struct sim_host *host = sim_self->host;
  int place = number - FIRST_DESCRIPTOR;
  if (place < 0 || place >= host->descriptor_count || !host->descriptors[place].file) return NULL;
  return &host->descriptors[place];
}

struct file *file_of(int number) {
  struct descriptor *descriptor = descriptor_at(number);
  return descriptor ? descriptor->file : NULL;
}

bool descriptors_have_room(void) {
  const struct sim_host *host = sim_self->host;
  int limit = host->descriptor_limit ? host->descriptor_limit : MOST_DESCRIPTORS;
  if (host->descriptor_count < limit) return true;
  for (int place = 0; place < limit; place++) {
    if (!host->descriptors[place].file) return true;
  }
  return false;
}

int descriptor_make_from(struct file *file, bool closes_on_exec, int least) {
  struct sim_host *host = sim_self->host;
  int place = least > FIRST_DESCRIPTOR ? least - FIRST_DESCRIPTOR : 0;
  while (place < host->descriptor_count && host->descriptors[place].file) place++;
  if (place >= (host->descriptor_limit ? host->descriptor_limit : MOST_DESCRIPTORS)) {
    file_release(file);
    return -EMFILE;
  }
  if (place >= host->descriptor_capacity) {
    int capacity = host->descriptor_capacity ? host->descriptor_capacity * 2 : 64;
    while (capacity <= place) capacity *= 2;
    host->descriptors = realloc(host->descriptors, (size_t)capacity * sizeof *host->descriptors);
    memset(&host->descriptors[host->descriptor_capacity], 0,
           (size_t)(capacity - host->descriptor_capacity) * sizeof *host->descriptors);
    host->descriptor_capacity = capacity;
  }
  if (place >= host->descriptor_count) host->descriptor_count = place + 1;
  host->descriptors[place] = (struct descriptor){file, closes_on_exec};
  return place + FIRST_DESCRIPTOR;
}

int descriptor_make(struct file *file, bool closes_on_exec) {
  return descriptor_make_from(file, closes_on_exec, 0);
}

int descriptor_close(struct sim_host *host, int number) {
  int place = number - FIRST_DESCRIPTOR;
  if (place < 0 || place >= host->descriptor_count || !host->descriptors[place].file) return -EBADF;
  struct file *file = host->descriptors[place].file;
  host->descriptors[place].file = NULL;
  file_release(file);
  return 0;
}

void files_drop(struct sim_host *host) {
  for (int place = 0; place < host->descriptor_count; place++) descriptor_close(host, place + FIRST_DESCRIPTOR);
  free(host->descriptors);
  host->descriptors = NULL;
  host->descriptor_count = host->descriptor_capacity = 0;
}

int sim_host_descriptors(const struct sim_host *host) {
  int count = 0;
  for (int place = 0; place < host->descriptor_count; place++) count += host->descriptors[place].file != NULL;
  return count;
}

// MARK: Bytes

size_t parts_size(const struct iovec *parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; i++) size += parts[i].iov_len;
  return size;
}

static void buffer_reserve(struct buffer *buffer, size_t size) {
  if (buffer->start + buffer->count + size <= buffer->capacity) return;
  if (buffer->start > 0) {
    memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->count);
    buffer->start = 0;
  }
  if (buffer->count + size <= buffer->capacity) return;
  size_t capacity = buffer->capacity ? buffer->capacity : 4096;
  while (capacity < buffer->count + size) capacity *= 2;
  buffer->bytes = realloc(buffer->bytes, capacity);
  buffer->capacity = capacity;
}

void buffer_put(struct buffer *buffer, const struct iovec *parts, int count, size_t skip, size_t size) {
  buffer_reserve(buffer, size);
  char *to = buffer->bytes + buffer->start + buffer->count;
  buffer->count += size;
  for (int i = 0; i < count && size > 0; i++) {
    size_t length = parts[i].iov_len;
    if (skip >= length) {
      skip -= length;
      continue;
    }
    length -= skip;
    if (length > size) length = size;
    memcpy(to, (char *)parts[i].iov_base + skip, length);
    skip = 0;
    to += length;
    size -= length;
  }
}

void buffer_copy(const struct buffer *buffer, size_t skip, const struct iovec *parts, int count, size_t size) {
  const char *from = buffer->bytes + buffer->start + skip;
  for (int i = 0; i < count && size > 0; i++) {
    size_t length = parts[i].iov_len < size ? parts[i].iov_len : size;
    memcpy(parts[i].iov_base, from, length);
    from += length;
    size -= length;
  }
}

void buffer_drop(struct buffer *buffer, size_t size) {
  buffer->start += size;
  buffer->count -= size;
  if (!buffer->count) buffer->start = 0;
}

void buffer_move(struct buffer *to, struct buffer *from, size_t size) {
  struct iovec part = {from->bytes + from->start, size};
  buffer_put(to, &part, 1, 0, size);
  buffer_drop(from, size);
}

void buffer_free(struct buffer *buffer) {
  free(buffer->bytes);
  *buffer = (struct buffer){0};
}
