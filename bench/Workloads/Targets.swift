import BenchHarness

/// What the styles are meant to cost beside the row in C.
public enum Targets {
  /// All of them.
  public static let all = [
    Target(
      "tcp-echo", ["connections": 50, "size": 64],
      bounds: [.callback: 1.03, .async: 1.12, .promise: 1.15, .future: 1.20],
      reasons: [
        .callback: "560 instructions more, and 11 lines missed in the first cache a request; C fits",
        .async: "2,450 instructions more, and 25 lines missed in the first cache a request; C fits",
        .promise: "2,300 instructions more, and 15 lines missed in the first cache a request; C fits",
        .future: "2,440 instructions more, and lines missed in the first cache a request; C fits",
      ]),
    Target(
      "tcp-echo", ["connections": 500, "size": 64],
      bounds: [.callback: 1.05, .async: 1.15, .promise: 1.20, .future: 1.25],
      reasons: [
        .async:
          "2,450 instructions more, and 24 lines missed in the first cache for each request where C misses 5"
      ]),
    Target(
      "tcp-echo", ["connections": 50, "size": 64], .instructions,
      bounds: [.callback: 250, .async: 2700, .promise: 1000, .future: 1500],
      reasons: [
        .callback:
          "a completion is a microtask, never on its caller's stack (142), and what a handler holds is counted (130)",
        .async: "a wait of a task takes the runtime 2,090 by itself; the rest varies by 20",
        .promise: "reference counting: 17 retains and 22 releases a request (720), and two microtasks",
        .future:
          "reference counting, and a closure and two signals for each request",
      ]),
    Target(
      "tcp-stream", ["connections": 1, "size": 65536], .throughput,
      bounds: [.callback: 0.98, .async: 0.97, .promise: 0.95, .future: 0.95],
      reasons: [.callback: spread, .async: spread, .promise: spread, .future: spread]),
    Target(
      "http-hello", ["pipelined": 1, "size": 13],
      bounds: [.callback: 1.35, .async: 1.50, .promise: 1.45, .future: 1.45]),
    Target(
      "http-client", ["in-flight": 50, "size": 13],
      bounds: [.callback: 1.5, .async: 1.5, .promise: 1.5, .future: 1.5]),
    Target(
      "http-client", ["in-flight": 50, "size": 65_536],
      bounds: [.callback: 1.5, .async: 1.5, .promise: 1.5, .future: 1.5]),
    Target(
      "http-idle", ["connections": 10_000, "size": 13], .bytes,
      bounds: [.callback: 4096, .async: 4096, .promise: 4096, .future: 4096]),
    Target(
      "fs-read", ["in-flight": 64, "cores": 2],
      bounds: [.callback: 1.05, .async: 1.12, .promise: 1.12, .future: 1.15],
      reasons: [
        .callback: "five allocations for each file, where C makes one",
        .async: "the runtime's four waits take 0.10 of C's time by themselves, and a file in callbacks 1.03",
        .promise: "12 allocations more than callbacks: a request, a promise and a step for each of four",
        .future: "6 allocations more than callbacks, and 50 changes of reference counts",
      ]),
    Target(
      "million-timers", ["spread": 0], bounds: [.callback: 0.80, .async: 3.2, .promise: 1.5, .future: 2.0],
      reasons: [
        .async:
          "the runtime's task: 6,030 instructions, 1,350 bytes and 2.4 times C's time for one that waits once",
        .promise: "4 allocations for each timer, all of them at the same time in memory",
        .future: "7 allocations for each timer, all of them at the same time in memory",
      ]),
    Target(
      "timer-cancel", ["standing": 0], .nanoseconds, bounds: [.callback: 100]),
    Target(
      "timer-cancel", ["standing": 10_000], .nanoseconds, bounds: [.callback: 100]),
    Target(
      "timeout-wrap", ["limited": 1], .nanoseconds, above: ["limited": 0],
      bounds: [.callback: 300, .async: 300, .promise: 300, .future: 300]),
    Target(
      "fairness", ["greedy": 1], .tail, above: ["greedy": 0],
      bounds: [.callback: 2, .async: 2, .promise: 2, .future: 2],
      reasons: [.callback: tail, .async: tail, .promise: tail, .future: tail]),
    Target(
      "idle-server", ["connections": 10_000], .resident,
      bounds: [.callback: 560, .async: 2150, .promise: 900, .future: 900],
      reasons: [
        .callback: "uv_tcp_t alone takes 248 bytes",
        .promise: "the three objects of a chain: each, its node and catch",
        .future:
          "the objects of a chain: the source's subscription, the node of flatMap, the sink and what it calls",
        .async: "the runtime's task: 1,350 bytes before anything of ours, and what C holds, 270",
      ]),
    Target(
      "wakeup", ["cores": 1], bounds: [.callback: 1.0, .async: 1.2, .promise: 1.0, .future: 1.1],
      reasons: wakeUps),
    Target(
      "wakeup", ["cores": 2], bounds: [.callback: 1.0, .async: 1.2, .promise: 1.0, .future: 1.1],
      reasons: wakeUps),
    Target(
      "cross-loop", ["in-flight": 1000, "cores": 1],
      bounds: [.callback: 2, .async: 4, .promise: 4, .future: 4],
      reasons: [.callback: message, .async: message, .promise: message, .future: message]),
    Target(
      "fs-read-file", ["in-flight": 1],
      bounds: [.callback: 0.50, .async: 0.55, .promise: 0.55, .future: 0.60]),
  ]

  private static let spread =
    "the kernel copies 64 KiB for each write; C itself varies by 30 to 45 % from round to round on this machine"

  private static let message =
    "C makes its messages beforehand; here each is a function, and one for the answer, that are made for it"

  private static let tail =
    "a style reads 128 KiB of the greedy one in a turn, C 2 MiB; time that `doctor` calls stolen shows here first"

  private static let wakeUps: [Style: String] = [
    .callback:
      "the kernel takes 0.82 of C's time for the three system calls that are left",
    .promise: "a promise, two steps and a function are made anew for each wake-up",
    .future: "a future, its resolver and what carries it between threads are made anew for each wake-up",
    .async: "an AsyncStream takes a lock and wakes its task by a job",
  ]
}
