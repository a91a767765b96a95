// From a file to a socket.
#pragma once

#include <uv.h>

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __linux__
#include <sys/sendfile.h>
#endif

/// Bytes to send from a file to a socket on the thread pool. libuv 1.44's own sendfile copies to a socket
/// through a buffer, and keeps the thread waiting as long as the peer doesn't read.
struct cuv_sendfile_job {
  uv_work_t work;
  int socket, file;
  int64_t offset;
  size_t count;
  ssize_t result;
};

static inline void cuv_sendfile_job_run(uv_work_t *work) {
  struct cuv_sendfile_job *job = (struct cuv_sendfile_job *)work;
  // One call carries a little less than 2 GiB.
  size_t count = job->count > 0x40000000 ? 0x40000000 : job->count;
  ssize_t sent;
#ifdef __linux__
  do {
    off_t offset = job->offset;
    sent = sendfile(job->socket, job->file, &offset, count);
  } while (sent < 0 && errno == EINTR);
#else
  off_t length = (off_t)count;
  sent = sendfile(job->file, job->socket, job->offset, &length, NULL, 0);
  if (sent == 0 || length > 0) sent = (ssize_t)length;
#endif
  job->result = sent < 0 ? uv_translate_sys_error(errno) : sent;
}

static inline int cuv_sendfile_job_queue(uv_loop_t *loop, struct cuv_sendfile_job *job, uv_after_work_cb done) {
  return uv_queue_work(loop, &job->work, cuv_sendfile_job_run, done);
}
