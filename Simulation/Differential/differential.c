// Random programs of socket calls, on Linux's own kernel and on the simulated one: both must give the same answers.
//
//   differential [PROGRAMS [FIRST SEED [show]]]
//
// Prints each program that differs, up to the first difference, and exits with 1 if there is one.

#define _GNU_SOURCE
#include "simulation.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 12, STEPS = 40 };

static uint64_t state;
static unsigned below(unsigned bound) {
  state += 0x9E3779B97F4A7C15u;
  uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return (unsigned)((x ^ (x >> 31)) % bound);
}

/// What a descriptor is, so that the program makes calls that mean something.
enum kind { NONE, LISTENER, STREAM, DEAD_PORT, READER, WRITER, DATAGRAM };

struct step {
  char text[64];
  long result;
};

static struct step steps[2][STEPS * 2];
static int count[2];
static int descriptors[MOST];
static enum kind kinds[MOST];
static struct sockaddr_in addresses[MOST];
static int side;

static long noted(const char *what, int place, long result) {
  struct step *step = &steps[side][count[side]++];
  snprintf(step->text, sizeof step->text, "%s #%d", what, place);
  step->result = result < 0 ? -errno : result;
  return result;
}

static int put(int descriptor, enum kind kind) {
  if (descriptor < 0) return -1;
  for (int i = 0; i < MOST; i++) {
    if (kinds[i] != NONE) continue;
    descriptors[i] = descriptor;
    kinds[i] = kind;
    return i;
  }
  close(descriptor);
  return -1;
}

static int pick(enum kind one, enum kind two) {
  int found[MOST], number = 0;
  for (int i = 0; i < MOST; i++) {
    if (kinds[i] == one || kinds[i] == two) found[number++] = i;
  }
  unsigned choice = below(MOST);
  return number ? found[choice % (unsigned)number] : -1;
}

static void listen_somewhere(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  long code = bind(descriptor, (struct sockaddr *)&address, length);
  bool listens = below(4) != 0;
  if (listens) code |= listen(descriptor, 8);
  getsockname(descriptor, (struct sockaddr *)&address, &length);
  int place = put(descriptor, listens ? LISTENER : DEAD_PORT);
  if (place >= 0) addresses[place] = address;
  noted(listens ? "listen" : "bind", place, code);
}

static void connect_to(int target) {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  long code = connect(descriptor, (struct sockaddr *)&addresses[target], sizeof addresses[target]);
  int error = errno;
  int place = put(descriptor, STREAM);
  errno = error;
  noted("connect", place, code);
}

static char bytes[200000];

static void step(void) {
  static const unsigned sizes[] = {1, 2, 100, 500, 2000};
  unsigned choice = below(20), size = sizes[below(5)], detail = below(3);
  int place;
  switch (choice) {
    case 0: listen_somewhere(); return;
    case 1:
    case 2:
    case 3:
      if ((place = pick(LISTENER, DEAD_PORT)) >= 0) connect_to(place);
      return;
    case 4:
    case 5:
    case 6:
      if ((place = pick(LISTENER, LISTENER)) < 0) return;
      {
        int descriptor = accept4(descriptors[place], NULL, NULL, SOCK_NONBLOCK);
        int error = errno;
        if (descriptor >= 0) put(descriptor, STREAM);
        errno = error;
        noted("accept", place, descriptor < 0 ? -1 : 0);
      }
      return;
    case 7:
    case 8:
    case 9:
      if ((place = pick(STREAM, WRITER)) >= 0) noted("write", place, write(descriptors[place], bytes, size));
      return;
    case 10:
    case 11:
    case 12:
      if ((place = pick(STREAM, READER)) >= 0) noted("read", place, read(descriptors[place], bytes, size));
      return;
    case 13:
      if ((place = pick(STREAM, STREAM)) >= 0)
        noted(detail == 0 ? "shutdown reading" : detail == 1 ? "shutdown writing" : "shutdown", place,
              shutdown(descriptors[place], (int)detail));
      return;
    case 14:
      if ((place = pick(STREAM, detail == 0 ? LISTENER : detail == 1 ? READER : WRITER)) < 0) return;
      noted("close", place, close(descriptors[place]));
      kinds[place] = NONE;
      return;
    case 15:
      if ((place = pick(STREAM, STREAM)) < 0) return;
      {
        int error = 0;
        socklen_t length = sizeof error;
        long code = getsockopt(descriptors[place], SOL_SOCKET, SO_ERROR, &error, &length);
        noted("SO_ERROR", place, code < 0 ? -1 : error);
      }
      return;
    case 16:
      if ((place = pick(STREAM, STREAM)) < 0) return;
      {
        struct linger linger = {1, 0};
        noted("SO_LINGER 0", place, setsockopt(descriptors[place], SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
      }
      return;
    case 17: {
      int ends[2];
      noted("pipe", -1, pipe2(ends, O_NONBLOCK));
      put(ends[0], READER);
      put(ends[1], WRITER);
      return;
    }
    case 18: {
      int ends[2];
      noted("socketpair", -1, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends));
      put(ends[0], STREAM);
      put(ends[1], STREAM);
      return;
    }
    case 19:
      if ((place = pick(STREAM, READER)) < 0) return;
      {
        int readable = 0;
        long code = ioctl(descriptors[place], FIONREAD, &readable);
        noted("FIONREAD", place, code < 0 ? -1 : readable);
      }
      return;
  }
}

static void look(void) {
  for (int i = 0; i < MOST; i++) {
    if (kinds[i] == NONE || kinds[i] == DEAD_PORT) continue;
    struct pollfd target = {descriptors[i], POLLIN | POLLOUT | POLLRDHUP, 0};
    poll(&target, 1, 0);
    static const short shown[] = {POLLIN, POLLOUT, POLLRDHUP, POLLHUP, POLLERR};
    short mask = 0;
    for (int j = 0; j < 5; j++) mask |= target.revents & shown[j];
    if (count[side] < STEPS * 2 - 1) noted("poll", i, mask);
  }
}

static void run(void *context) {
  state = *(uint64_t *)context * 1000003;
  count[side] = 0;
  memset(kinds, 0, sizeof kinds);
  for (int i = 0; i < STEPS && count[side] < STEPS * 2 - MOST - 2; i++) {
    step();
    usleep(200);
    if (i % 8 == 7) look();
  }
  for (int i = 0; i < MOST; i++) {
    if (kinds[i] != NONE) close(descriptors[i]);
  }
}

static void world(void *context) {
  struct sim_host *host = sim_host_add("a");
  sim_host_start(host, run, context);
  while (!sim_host_has_ended(host) && sim_wait(SIM_NEVER) == SIM_WOKEN) {}
}

int main(int arguments, char **values) {
  long programs = arguments > 1 ? atol(values[1]) : 1000;
  uint64_t first = arguments > 2 ? strtoull(values[2], NULL, 10) : 1;
  signal(SIGPIPE, SIG_IGN);
  long different = 0, calls = 0;
  for (uint64_t seed = first; seed < first + (uint64_t)programs; seed++) {
    side = 0;
    run(&seed);
    side = 1;
    struct sim_options options = {.seed = seed, .limit = SIM_NEVER, .trace_capacity = 16};
    sim_begin(&options);
    sim_run(world, &seed);
    if (sim_failure()) printf("seed %llu: %s\n", (unsigned long long)seed, sim_failure());
    sim_end();
    calls += count[0];
    int place = 0;
    while (place < count[0] && place < count[1] && steps[0][place].result == steps[1][place].result) place++;
    if (place == count[0] && place == count[1] && arguments < 4) continue;
    different++;
    printf("seed %llu:\n", (unsigned long long)seed);
    for (int i = 0; i <= place && i < count[0]; i++)
      printf("  %-24s Linux %ld, simulated %ld\n", steps[0][i].text, steps[0][i].result, steps[1][i].result);
  }
  printf("%ld programs of %ld calls: %ld differ\n", programs, calls, different);
  return different > 0;
}
