/// What every row and the load generator share: one clock, one payload, one
/// latency histogram, one way to check timers, files and wake-ups. A row of any
/// style pays the same for them, so they cancel in a comparison.
#pragma once

#include "bench_clock.h"
#include "bench_connect.h"
#include "bench_demangle.h"
#include "bench_fan_out.h"
#include "bench_files.h"
#include "bench_full_listener.h"
#include "bench_heap.h"
#include "bench_http.h"
#include "bench_jobs.h"
#include "bench_latency.h"
#include "bench_payload.h"
#include "bench_pinger.h"
#include "bench_process.h"
#include "bench_resp.h"
#include "bench_tend.h"
#include "bench_timer_ledger.h"
