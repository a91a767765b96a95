// Gives a test the first thread of a process, on which no test runs. The test begins its own program again, with a name in
// TEST_ON_MAIN_THREAD, for which a function of the tests is then called before `main`.
#ifdef __linux__

#include <stdlib.h>

typedef void constructor(int count, char **arguments, char **environment);
extern constructor *const __init_array_start[] __attribute__((visibility("hidden")));
extern constructor *const __init_array_end[] __attribute__((visibility("hidden")));

/// The function of the tests. A program without it goes on as usual.
__attribute__((weak)) void test_on_main_thread(const char *name);

__attribute__((constructor)) static void begin(int count, char **arguments, char **environment) {
  const char *name = getenv("TEST_ON_MAIN_THREAD");
  if (name == NULL || test_on_main_thread == NULL) return;
  constructor *const *next = __init_array_start;
  while (next < __init_array_end && *next != begin) next++;
  // Those that haven't been called yet. A mutant of the library is chosen in one of them.
  while (++next < __init_array_end) (*next)(count, arguments, environment);
  test_on_main_thread(name);
  exit(0);
}

#endif
