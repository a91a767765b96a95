// Numbers from the seed.

#include "kernel.h"

static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void draw_seed(struct draw *draw, uint64_t seed, const char *name) {
  uint64_t state = mixed(seed + 0x9E3779B97F4A7C15u);
  for (; *name; name++) state = mixed(state ^ (uint8_t)*name);
  draw->state = state;
}

uint64_t draw_number(struct draw *draw) { return mixed(draw->state += 0x9E3779B97F4A7C15u); }

uint64_t draw_below(struct draw *draw, uint64_t bound) {
  return (uint64_t)(((unsigned __int128)draw_number(draw) * bound) >> 64);
}

bool fault_is_drawn(enum stream stream, uint64_t chance) {
  if (draw_below(&kernel.draws[stream], 1000000) >= chance) return false;
  uint32_t number = kernel.faults++;
  if (!kernel.options.faults) return true;
  while (kernel.next_fault < kernel.options.fault_count && kernel.options.faults[kernel.next_fault] < number)
    kernel.next_fault++;
  return kernel.next_fault < kernel.options.fault_count && kernel.options.faults[kernel.next_fault] == number;
}

uint32_t sim_faults(void) { return kernel.faults; }
