// What is due, in a heap. Events of one moment come in an order that is drawn.

#include "kernel.h"

#include <stdlib.h>

static bool is_before(const struct event *a, const struct event *b) {
  return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

static void put(size_t place, struct event *event) {
  kernel.events[place] = event;
  event->place = place;
}

static void rise(struct event *event, size_t place) {
  while (place > 1 && is_before(event, kernel.events[place / 2])) {
    put(place, kernel.events[place / 2]);
    place /= 2;
  }
  put(place, event);
}

static void sink(struct event *event, size_t place) {
  for (;;) {
    size_t child = place * 2;
    if (child > kernel.event_count) break;
    if (child < kernel.event_count && is_before(kernel.events[child + 1], kernel.events[child])) child++;
    if (!is_before(kernel.events[child], event)) break;
    put(place, kernel.events[child]);
    place = child;
  }
  put(place, event);
}

void event_add(struct event *event, uint64_t time, void (*run)(struct event *event)) {
  if (event->place) event_remove(event);
  event->time = time;
  event->tie = draw_number(&kernel.draws[DRAW_ORDER]);
  event->run = run;
  // The heap begins at 1.
  if (kernel.event_count + 2 > kernel.event_capacity) {
    kernel.event_capacity = kernel.event_capacity ? kernel.event_capacity * 2 : 64;
    kernel.events = realloc(kernel.events, kernel.event_capacity * sizeof *kernel.events);
  }
  rise(event, ++kernel.event_count);
}

void event_remove(struct event *event) {
  size_t place = event->place;
  if (!place) return;
  event->place = 0;
  struct event *last = kernel.events[kernel.event_count--];
  if (last == event) return;
  if (place > 1 && is_before(last, kernel.events[place / 2])) rise(last, place);
  else sink(last, place);
}
