// Which library a piece of code belongs to: whether this one may be unloaded, which libuv has made a loop,
// and what that libuv offers beyond the header.
#define _GNU_SOURCE
#include "cuv.h"

#include <dlfcn.h>

int cuv_find_place(const void *address, struct cuv_place *place) {
  Dl_info info;
  if (!dladdr(address, &info)) return 0;
  place->file = info.dli_fname;
  place->start = info.dli_fbase;
  return 1;
}

void cuv_stay_loaded(void) {
#ifdef __linux__
  struct cuv_place place;
  if (cuv_find_place((void *)&cuv_stay_loaded, &place) && place.file)
    dlopen(place.file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

void *cuv_find_function(uintptr_t origin, const char *name) {
  struct cuv_place own, found;
  if (!cuv_find_place((const void *)origin, &own)) return NULL;
  // Of the program, or of a library that everybody may use. The first of this name may be another library's.
  void *function = dlsym(RTLD_DEFAULT, name);
  if (function && cuv_find_place(function, &found) && found.start == own.start) return function;
  // Of a library that only some may use. It stays loaded, because others have loaded it.
  void *library = own.file ? dlopen(own.file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!library) return NULL;
  function = dlsym(library, name);
  dlclose(library);
  if (!function || !cuv_find_place(function, &found) || found.start != own.start) return NULL;
  return function;
}

cuv_metrics_info cuv_find_metrics_info(const uv_loop_t *loop) {
  return (cuv_metrics_info)cuv_find_function(cuv_loop_origin(loop), "uv_metrics_info");
}

cuv_udp_try_send2 cuv_find_udp_try_send2(const uv_loop_t *loop) {
  return (cuv_udp_try_send2)cuv_find_function(cuv_loop_origin(loop), "uv_udp_try_send2");
}

void cuv_datagram_set_address(struct cuv_datagram *datagram, const struct sockaddr *address) {
  memcpy(&datagram->address, address, sizeof datagram->address);
}

int cuv_udp_send_batch(
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
