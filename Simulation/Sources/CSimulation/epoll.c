// epoll: the descriptors that are ready are reported in an order that is drawn.

#include "files.h"
#include "real.h"

#include <stdlib.h>
#include <string.h>

struct item {
  struct watch watch;
  struct epoll *owner;
  struct item *next_ready, *previous_ready;
  struct epoll_event event;
  int descriptor;
  bool is_ready;
};

struct epoll {
  struct file file;
  /// By descriptor.
  struct item **items;
  int count;
  /// Whether it has reported a socket too early the last time; it doesn't the next time.
  bool was_too_early;
  struct item *first_ready, *last_ready;
  /// Of one call.
  struct item **chosen;
  size_t chosen_capacity;
};

static void put_ready(struct item *item) {
  struct epoll *epoll = item->owner;
  if (item->is_ready) return;
  item->is_ready = true;
  item->next_ready = NULL;
  item->previous_ready = epoll->last_ready;
  if (epoll->last_ready) epoll->last_ready->next_ready = item;
  else epoll->first_ready = item;
  epoll->last_ready = item;
}

static void take_ready(struct item *item) {
  struct epoll *epoll = item->owner;
  if (!item->is_ready) return;
  item->is_ready = false;
  if (item->previous_ready) item->previous_ready->next_ready = item->next_ready;
  else epoll->first_ready = item->next_ready;
  if (item->next_ready) item->next_ready->previous_ready = item->previous_ready;
  else epoll->last_ready = item->previous_ready;
}

static uint32_t ready_events(struct item *item) {
  return item->watch.file->kind->poll(item->watch.file) & (item->event.events | EPOLLERR | EPOLLHUP);
}

static void changed(struct watch *watch) {
  struct item *item = (struct item *)watch;
  if (!item->event.events || !ready_events(item)) return;
  put_ready(item);
  file_changed(&item->owner->file);
}

static void item_free(struct item *item) {
  struct epoll *epoll = item->owner;
  take_ready(item);
  watch_remove(&item->watch);
  int place = descriptor_place(item->descriptor);
  if (place < epoll->count && epoll->items[place] == item) epoll->items[place] = NULL;
  free(item);
}

static void gone(struct watch *watch) { item_free((struct item *)watch); }

static uint32_t epoll_poll(struct file *file) {
  struct epoll *epoll = (struct epoll *)file;
  for (struct item *item = epoll->first_ready; item; item = item->next_ready) {
    if (ready_events(item)) return EPOLLIN;
  }
  return 0;
}

static void epoll_close(struct file *file) {
  struct epoll *epoll = (struct epoll *)file;
  for (int i = 0; i < epoll->count; i++) {
    if (epoll->items[i]) item_free(epoll->items[i]);
  }
  while (epoll->first_ready) item_free(epoll->first_ready);
  free(epoll->items);
  free(epoll->chosen);
}

static const struct kind epoll_kind = {.name = "epoll", .poll = epoll_poll, .close = epoll_close};

static int make(int flags) {
  int code = planned(CALL_epoll_create);
  if (code < 0) return (int)traced(CALL_epoll_create, -1, code, 0);
  struct epoll *epoll = file_make(&epoll_kind, sizeof *epoll, 0);
  return (int)traced(CALL_epoll_create, -1, descriptor_make(&epoll->file, flags & EPOLL_CLOEXEC), 0);
}

int epoll_create1(int flags) { return IS_SIMULATED ? make(flags) : REAL(epoll_create1)(flags); }
int epoll_create(int size) { return IS_SIMULATED ? make(0) : REAL(epoll_create)(size); }

static int control(int descriptor, int operation, int target, struct epoll_event *event) {
  struct file *file = file_of(descriptor), *watched = file_of(target);
  if (!file || !watched) return -EBADF;
  if (file->kind != &epoll_kind || file == watched) return -EINVAL;
  if (!watched->kind->poll) return -EPERM;
  struct epoll *epoll = (struct epoll *)file;
  int place = descriptor_place(target);
  struct item *item = place < epoll->count ? epoll->items[place] : NULL;
  // One of a file that somebody else still refers to.
  if (item && item->watch.file != watched) item = NULL;
  if (operation == EPOLL_CTL_ADD) {
    if (item) return -EEXIST;
    if (place >= epoll->count) {
      int count = epoll->count ? epoll->count * 2 : 16;
      while (count <= place) count *= 2;
      epoll->items = realloc(epoll->items, (size_t)count * sizeof *epoll->items);
      memset(&epoll->items[epoll->count], 0, (size_t)(count - epoll->count) * sizeof *epoll->items);
      epoll->count = count;
    }
    item = calloc(1, sizeof *item);
    item->owner = epoll;
    item->descriptor = target;
    item->watch.changed = changed;
    item->watch.gone = gone;
    watch_add(&item->watch, watched);
    epoll->items[place] = item;
  } else if (!item) {
    return -ENOENT;
  } else if (operation == EPOLL_CTL_DEL) {
    item_free(item);
    return 0;
  }
  item->event = *event;
  take_ready(item);
  changed(&item->watch);
  return 0;
}

int epoll_ctl(int descriptor, int operation, int target, struct epoll_event *event) {
  if (!IS_SIMULATED) return LEFT("epoll_ctl", target, REAL(epoll_ctl)(descriptor, operation, target, event));
  int code = (int)UNLESS_PLANNED(CALL_epoll_ctl, control(descriptor, operation, target, event));
  return (int)traced(CALL_epoll_ctl, target, code, (uint64_t)operation << 32 | (event ? event->events : 0));
}

/// What is ready, at most `most` of it.
static int collect(struct epoll *epoll, struct epoll_event *events, int most) {
  size_t count = 0;
  for (struct item *item = epoll->first_ready, *next; item; item = next) {
    next = item->next_ready;
    if (!ready_events(item)) {
      take_ready(item);
      continue;
    }
    if (count == epoll->chosen_capacity) {
      epoll->chosen_capacity = count ? count * 2 : 16;
      epoll->chosen = realloc(epoll->chosen, epoll->chosen_capacity * sizeof *epoll->chosen);
    }
    epoll->chosen[count++] = item;
  }
  int reported = 0;
  while (count > 0 && reported < most) {
    size_t place = count == 1 ? 0 : draw_below(&kernel.draws[DRAW_READY], count);
    struct item *item = epoll->chosen[place];
    epoll->chosen[place] = epoll->chosen[--count];
    events[reported].events = ready_events(item);
    events[reported++].data = item->event.data;
    if (item->event.events & (EPOLLET | EPOLLONESHOT)) take_ready(item);
    if (item->event.events & EPOLLONESHOT) item->event.events = 0;
  }
  return reported;
}

/// Reports that a socket can be read on which nothing has arrived. With edges, Linux wouldn't report again when something has.
static int report_too_early(struct epoll *epoll, struct epoll_event *events) {
  uint64_t count = 0;
  struct item *chosen = NULL;
  for (int i = 0; i < epoll->count; i++) {
    struct item *item = epoll->items[i];
    if (!item || !(item->event.events & EPOLLIN) || (item->event.events & (EPOLLET | EPOLLONESHOT))) continue;
    if (!socket_may_refuse(item->watch.file)) continue;
    if (draw_below(&kernel.draws[DRAW_REFUSAL], ++count) == 0) chosen = item;
  }
  if (!chosen) return 0;
  *events = (struct epoll_event){.events = EPOLLIN, .data = chosen->event.data};
  return 1;
}

static bool refusal_of_epoll(struct epoll *epoll) {
  if (!kernel.weather.refusal) return false;
  epoll->was_too_early = !epoll->was_too_early && fault_is_due(DRAW_REFUSAL, kernel.weather.refusal);
  return epoll->was_too_early;
}

static int wait_for(int descriptor, struct epoll_event *events, int most, int timeout) {
  struct file *file = file_of(descriptor);
  if (!file) return -EBADF;
  if (file->kind != &epoll_kind || most <= 0) return -EINVAL;
  uint64_t deadline = timeout < 0 ? NEVER : kernel.now + host_span(sim_self->host, (uint64_t)timeout * 1000000);
  // A thread that finds something each time has a time slice, too.
  enum { TIME_SLICE = 64 };
  if (++sim_self->polls > TIME_SLICE) {
    sim_self->polls = 0;
    thread_yield();
  }
  file_hold(file);
  int reported;
  for (;;) {
    reported = collect((struct epoll *)file, events, most);
    if (!reported && timeout == 0) {
      // A thread that polls without end lets others run.
      thread_spin();
      reported = collect((struct epoll *)file, events, most);
    }
    if (reported || timeout == 0) break;
    if (refusal_of_epoll((struct epoll *)file) && (reported = report_too_early((struct epoll *)file, events))) break;
    sim_self->polls = 0;
    enum sim_reason reason = thread_wait_interruptibly(&file->waiters, deadline, "epoll_wait");
    if (reason == SIM_TIMED_OUT) break;
    if (reason == SIM_INTERRUPTED) {
      reported = -EINTR;
      break;
    }
  }
  file_release(file);
  return reported;
}

static int wait_traced(int descriptor, struct epoll_event *events, int most, int timeout) {
  int reported = wait_for(descriptor, events, most, timeout);
  uint64_t hash = 0;
  for (int i = 0; i < reported; i++) hash = (hash ^ ((uint64_t)events[i].events << 32 | (uint32_t)events[i].data.fd)) * 31;
  return (int)traced(CALL_epoll_wait, descriptor, reported, hash);
}

int epoll_wait(int descriptor, struct epoll_event *events, int most, int timeout) {
  if (!IS_SIMULATED) {
    fail_outside_loop(__builtin_return_address(0));
    return REAL(epoll_wait)(descriptor, events, most, timeout);
  }
  return wait_traced(descriptor, events, most, timeout);
}

int epoll_pwait(int descriptor, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  if (!IS_SIMULATED) {
    fail_outside_loop(__builtin_return_address(0));
    return REAL(epoll_pwait)(descriptor, events, most, timeout, mask);
  }
  return wait_traced(descriptor, events, most, timeout);
}
