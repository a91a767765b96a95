// Functions of libuv since 1.44, as its newer headers declare them. The header that this is compiled with may be older than
// the libuv that the program runs with, and the other way round. So these functions are looked up, and never linked.
#pragma once

#include "libraries.h"

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/// `uv_version()`, with which a bit of `uv_tcp_bind` begins to mean something.
enum { CUV_TCP_REUSEPORT_SINCE = 0x013100, CUV_TCP_REUSEPORT = 2 };

/// 1.45: `uv_metrics_t`.
struct cuv_metrics {
  uint64_t loop_count, events, events_waiting;
  uint64_t *reserved[13];
};
typedef int (*cuv_metrics_info)(uv_loop_t *loop, struct cuv_metrics *metrics);
static inline cuv_metrics_info cuv_find_metrics_info(const uv_loop_t *loop) {
  return (cuv_metrics_info)cuv_find_function(cuv_loop_origin(loop), "uv_metrics_info");
}

/// 1.50: several datagrams with one system call. Returns how many have been sent, or the error of the first.
typedef int (*cuv_udp_try_send2)(
    uv_udp_t *socket, unsigned count, uv_buf_t *bufs[], unsigned buf_counts[], struct sockaddr *addresses[],
    unsigned flags);
static inline cuv_udp_try_send2 cuv_find_udp_try_send2(const uv_loop_t *loop) {
  return (cuv_udp_try_send2)cuv_find_function(cuv_loop_origin(loop), "uv_udp_try_send2");
}

/// How many datagrams libuv 1.50 to 1.52 send right: of more, they leave out some after each 20.
enum { CUV_UDP_BATCH = 20 };

/// A datagram to send.
struct cuv_datagram {
  uv_buf_t bytes;
  struct sockaddr_storage address;
};

/// Copies an address that has room for every kind.
static inline void cuv_datagram_set_address(struct cuv_datagram *datagram, const struct sockaddr *address) {
  memcpy(&datagram->address, address, sizeof datagram->address);
}

/// Sends up to `CUV_UDP_BATCH` datagrams, all of them to an address or none.
static inline int cuv_udp_send_batch(
    cuv_udp_try_send2 send, uv_udp_t *socket, struct cuv_datagram *datagrams, unsigned count, bool have_addresses) {
  uv_buf_t *bufs[CUV_UDP_BATCH];
  unsigned buf_counts[CUV_UDP_BATCH];
  struct sockaddr *addresses[CUV_UDP_BATCH];
  if (count > CUV_UDP_BATCH) count = CUV_UDP_BATCH;
  for (unsigned i = 0; i < count; i++) {
    bufs[i] = &datagrams[i].bytes;
    buf_counts[i] = 1;
    addresses[i] = have_addresses ? (struct sockaddr *)&datagrams[i].address : NULL;
  }
  return send(socket, count, bufs, buf_counts, addresses, 0);
}
