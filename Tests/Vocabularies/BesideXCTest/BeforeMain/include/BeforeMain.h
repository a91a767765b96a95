#pragma once

/// Makes the loop of the main thread; BesideXCTest has it.
void beside_xctest_begin(void);
