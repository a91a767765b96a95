// The standard descriptors of a process that nobody has given others: what hosts print is to be seen, and nobody answers.

#include "files.h"
#include "real.h"

#include <sys/stat.h>

/// The standard output or error of the process that carries the world.
struct output {
  struct file file;
  int descriptor;
};

static uint32_t output_poll(struct file *file) {
  (void)file;
  return EPOLLOUT;
}

static ssize_t output_write(struct file *file, const struct iovec *parts, int count) {
  ssize_t moved = REAL(writev)(((struct output *)file)->descriptor, parts, count);
  return moved < 0 ? -errno : moved;
}

static ssize_t input_read(struct file *file, const struct iovec *parts, int count) {
  (void)file, (void)parts, (void)count;
  return 0;
}

static const struct kind output_kind = {.name = "output", .type = S_IFCHR, .poll = output_poll, .write = output_write};
static const struct kind input_kind = {.name = "input", .type = S_IFCHR, .read = input_read};

bool standard_is_own(int descriptor) {
  struct file *file = file_of(descriptor);
  return file && file->kind == &output_kind && ((struct output *)file)->descriptor == descriptor;
}

void standard_open(struct process *process) {
  descriptor_put(process, 0, file_make(&input_kind, sizeof(struct file), O_RDONLY), false);
  for (int descriptor = 1; descriptor <= 2; descriptor++) {
    struct output *output = file_make(&output_kind, sizeof *output, O_WRONLY);
    output->descriptor = descriptor;
    descriptor_put(process, descriptor, &output->file, false);
  }
}
