// The descriptors of processes, and the files that they refer to.

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

static struct descriptor *place_of(struct process *process, int number) {
  int place = descriptor_place(number);
  if (place < 0 || place >= process->descriptor_count || !process->descriptors[place].file) return NULL;
  return &process->descriptors[place];
}

struct descriptor *descriptor_at(int number) { return place_of(sim_self->process, number); }

struct file *file_of(int number) {
  struct descriptor *descriptor = descriptor_at(number);
  return descriptor ? descriptor->file : NULL;
}

/// Where the places end that a process may use.
static int limit_of(const struct process *process) {
  int limit = process->host->descriptor_limit;
  return LOW_DESCRIPTORS + (limit ? limit : MOST_DESCRIPTORS);
}

bool descriptors_have_room(void) {
  const struct process *process = sim_self->process;
  int limit = limit_of(process);
  if (process->descriptor_count < limit) return true;
  for (int place = LOW_DESCRIPTORS; place < limit; place++) {
    if (!process->descriptors[place].file) return true;
  }
  return false;
}

static void put(struct process *process, int place, struct file *file, bool closes_on_exec) {
  if (place >= process->descriptor_capacity) {
    int capacity = process->descriptor_capacity ? process->descriptor_capacity * 2 : 64;
    while (capacity <= place) capacity *= 2;
    process->descriptors = realloc(process->descriptors, (size_t)capacity * sizeof *process->descriptors);
    memset(&process->descriptors[process->descriptor_capacity], 0,
           (size_t)(capacity - process->descriptor_capacity) * sizeof *process->descriptors);
    process->descriptor_capacity = capacity;
  }
  if (place >= process->descriptor_count) process->descriptor_count = place + 1;
  process->descriptors[place] = (struct descriptor){file, closes_on_exec};
}

void descriptor_put(struct process *process, int number, struct file *file, bool closes_on_exec) {
  descriptor_close(process, number);
  put(process, descriptor_place(number), file, closes_on_exec);
}

int descriptor_make_from(struct file *file, bool closes_on_exec, int least) {
  struct process *process = sim_self->process;
  int place = descriptor_place(least > FIRST_DESCRIPTOR ? least : FIRST_DESCRIPTOR);
  while (place < process->descriptor_count && process->descriptors[place].file) place++;
  if (place >= limit_of(process)) {
    file_release(file);
    return -EMFILE;
  }
  put(process, place, file, closes_on_exec);
  return descriptor_number(place);
}

int descriptor_make(struct file *file, bool closes_on_exec) {
  return descriptor_make_from(file, closes_on_exec, 0);
}

int descriptor_close(struct process *process, int number) {
  struct descriptor *descriptor = place_of(process, number);
  if (!descriptor) return -EBADF;
  struct file *file = descriptor->file;
  descriptor->file = NULL;
  file_release(file);
  return 0;
}

void files_drop(struct process *process) {
  for (int place = 0; place < process->descriptor_count; place++) descriptor_close(process, descriptor_number(place));
  free(process->descriptors);
  process->descriptors = NULL;
  process->descriptor_count = process->descriptor_capacity = 0;
}

void descriptors_copy(struct process *to, const struct process *from) {
  for (int place = 0; place < from->descriptor_count; place++) {
    struct descriptor *descriptor = &from->descriptors[place];
    if (!descriptor->file) continue;
    file_hold(descriptor->file);
    put(to, place, descriptor->file, descriptor->closes_on_exec);
  }
}

void descriptors_exec(struct process *process) {
  for (int place = 0; place < process->descriptor_count; place++) {
    if (process->descriptors[place].closes_on_exec) descriptor_close(process, descriptor_number(place));
  }
}

int sim_host_descriptors(const struct sim_host *host) {
  const struct process *process = host->process;
  int count = 0;
  for (int place = 3; place < process->descriptor_count; place++) count += process->descriptors[place].file != NULL;
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
