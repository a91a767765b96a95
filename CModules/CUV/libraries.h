// Which library a piece of code belongs to: whether this one may be unloaded, which libuv has made a loop, and what that
// libuv offers beyond the header.
#pragma once

#include <uv.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __linux__
// glibc's `dladdr`, which its header shows to GNU sources alone.
struct cuv_place {
  const char *file;
  void *start;
  const char *symbol;
  void *address;
};
extern int cuv_find_place(const void *address, struct cuv_place *place) __asm__("dladdr");
#define CUV_EVERYWHERE ((void *)0)
#else
struct cuv_place {
  const char *file;
  void *start;
};
static inline int cuv_find_place(const void *address, struct cuv_place *place) {
  Dl_info info;
  if (!dladdr(address, &info)) return 0;
  place->file = info.dli_fname;
  place->start = info.dli_fbase;
  return 1;
}
#define CUV_EVERYWHERE RTLD_DEFAULT
#endif

/// Keeps the library that this is part of in memory for as long as the process lives: what a thread calls when it ends is
/// code of ours, and a host may have unloaded an addon by then. Does nothing in a program.
static inline void cuv_stay_loaded(void) {
#ifdef __linux__
  struct cuv_place place;
  if (cuv_find_place((void *)&cuv_stay_loaded, &place) && place.file)
    dlopen(place.file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#endif
}

/// Code of the libuv that made a loop, by which two of them are told apart. libuv keeps the layout of what its header
/// shows for all versions that begin with 1.
static inline uintptr_t cuv_loop_origin(const uv_loop_t *loop) { return (uintptr_t)loop->wq_async.async_cb; }

/// A function of the library that `origin` is code of; null if that has none of this name that can be found.
static inline void *cuv_find_function(uintptr_t origin, const char *name) {
  struct cuv_place own, found;
  if (!cuv_find_place((const void *)origin, &own)) return NULL;
  // Of the program, or of a library that everybody may use. The first of this name may be another library's.
  void *function = dlsym(CUV_EVERYWHERE, name);
  if (function && cuv_find_place(function, &found) && found.start == own.start) return function;
  // Of a library that only some may use. It stays loaded, because others have loaded it.
  void *library = own.file ? dlopen(own.file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!library) return NULL;
  function = dlsym(library, name);
  dlclose(library);
  if (!function || !cuv_find_place(function, &found) || found.start != own.start) return NULL;
  return function;
}
