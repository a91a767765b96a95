#include "BeforeMain.h"

// XCTest makes every test before it runs the first, and a test's properties may be promises.
__attribute__((constructor)) static void before_main(void) { beside_xctest_begin(); }
