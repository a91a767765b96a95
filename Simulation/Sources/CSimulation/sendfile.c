// What goes from one file to another.

#include "disk.h"
#include "real.h"

#include <sys/sendfile.h>

static ssize_t send_file(int to, int from, off64_t *offset, size_t size) {
  int code;
  struct open_file *source = disk_file_of(from, &code);
  struct file *target = file_of(to);
  if (!source || !target) return !target ? -EBADF : -EINVAL;
  if ((source->file.flags & O_ACCMODE) == O_WRONLY) return -EBADF;
  if (target->kind == &disk_kind && (target->flags & O_ACCMODE) == O_RDONLY) return -EBADF;
  if (target->kind == &disk_kind && target->flags & O_APPEND) return -EINVAL;
  if ((code = disk_fault(sim_self->host, false)) < 0) return code;
  size_t start = offset ? (size_t)*offset : source->offset;
  if (start >= source->node->size) return 0;
  if (size > source->node->size - start) size = source->node->size - start;
  if (sim_self->host->move_limit && size > sim_self->host->move_limit) size = sim_self->host->move_limit;
  if (!target->kind->write) return -EBADF;
  if (refusal_is_due(target)) return -EAGAIN;
  ssize_t sent;
  file_hold(target);
  while ((sent = target->kind->write(target, &(struct iovec){source->node->bytes + start, size}, 1)) == -EAGAIN &&
         !(target->flags & O_NONBLOCK) && code == 0)
    code = file_wait(target, "sendfile");
  file_release(target);
  if (sent == -EAGAIN && code < 0) sent = code;
  if (sent > 0 && offset) *offset += sent;
  if (sent > 0 && !offset) source->offset += (size_t)sent;
  return sent;
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) {
  if (LEAVES(to)) return REAL(sendfile64)(to, from, offset, size);
  return traced(CALL_sendfile, to, UNLESS_PLANNED(CALL_sendfile, send_file(to, from, offset, size)), size);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
  if (LEAVES(to)) return REAL(sendfile)(to, from, offset, size);
  return traced(CALL_sendfile, to, UNLESS_PLANNED(CALL_sendfile, send_file(to, from, (off64_t *)offset, size)), size);
}
