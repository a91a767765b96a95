// Node-API, as the header of the Node says that the addon is built with. Version 8 is in every Node from 16
// on, and newer ones keep it. There is only a header: the functions are in the program that loads the addon.
#pragma once

#define NAPI_VERSION 8
#include <node_api.h>

#include <dlfcn.h>

/// The loop that runs the environment; null if there is none.
static inline void *cnode_loop(napi_env env) {
  struct uv_loop_s *loop = NULL;
  return napi_get_uv_event_loop(env, &loop) == napi_ok ? loop : NULL;
}

/// Whether the runtime is Bun (`process.versions.bun`). It speaks Node-API, but has only some of libuv's
/// functions: `uv_loop_init` and others end the process (Bun 1.4.4).
static inline bool cnode_is_bun(napi_env env) {
  napi_value value;
  bool is_bun = false;
  return napi_get_global(env, &value) == napi_ok &&
         napi_get_named_property(env, value, "process", &value) == napi_ok &&
         napi_get_named_property(env, value, "versions", &value) == napi_ok &&
         napi_has_named_property(env, value, "bun", &is_bun) == napi_ok && is_bun;
}

#ifdef __linux__
// glibc's `dladdr`, which its header shows to GNU sources alone.
struct cnode_place {
  const char *file;
  void *start;
  const char *symbol;
  void *address;
};
extern int cnode_find_place(const void *address, struct cnode_place *place) __asm__("dladdr");
static inline bool cnode_is_in_program(const void *address) {
  struct cnode_place place;
  return cnode_find_place(address, &place) != 0;
}
#else
static inline bool cnode_is_in_program(const void *address) {
  Dl_info place;
  return dladdr(address, &place) != 0;
}
#endif
