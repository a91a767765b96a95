import BenchHarness
import CBaseline

/// The workloads of `uvbench`, named after libuv's own benchmarks where one exists.
///
/// What one operation is, what is under way and what is checked stands in the
/// `README.md` beside this file. A style is added to a workload by adding its row.
public enum Workloads {
  /// All of them, in the order in which they are run.
  public static let all: [any Workload] =
    [
      millionTimers, timerCancel, timeoutWrap, cancel, sleepChain, fsStat, fsRead, fsReadFile, spawn, dns,
      wakeup, crossLoop, thenChain, hostCall, httpClient,
    ]
    + [
      tcpPingPong, tcpEcho, tcpEchoWatched, fairness, idleConnections, fanOut, overload, httpHello, httpIdle,
      respGetSet, tcpStream, tcpAccept, udpEcho, pipeEcho, tlsEcho, tlsHandshake, coldStart, idleServer,
    ]

  /// What a server's author asks first: echo, HTTP, TLS, files, timers, timers that are cancelled, a wake-up and a
  /// stream.
  public static let quick = [
    QuickCase("tcp-echo"), QuickCase("http-hello", ["pipelined": 1, "size": 13]),
    // Each round begins with a handshake for each connection.
    QuickCase("tls-echo", ["connections": 10, "size": 64]),
    QuickCase("fs-read", ["in-flight": 1, "cores": 1]), QuickCase("million-timers"),
    QuickCase("timer-cancel", ["standing": 0]), QuickCase("wakeup", ["cores": 1]), QuickCase("tcp-stream"),
  ]

  /// The version of the libuv that the rows are linked with.
  public static var libuvVersion: String { String(cString: cb_libuv_version()) }

  static let millionTimers = LoopWorkload(
    name: "million-timers", summary: "start a timer, let it fire once, release it",
    parameters: [
      Parameter("timers", 1_000_000, quick: 100_000, in: 1...10_000_000, help: "how many timers at a time"),
      Parameter(
        "spread", 0, in: 0...60_000, help: "random delays up to so many ms; 0: 1000 timers to each ms"),
    ],
    operationCount: .parameter("timers"), check: .timers,
    rows: MillionTimers.rows(beside: cb_million_timers_run))

  static let timerCancel = LoopWorkload(
    name: "timer-cancel", summary: "start a timer of 30 s and cancel it",
    note: "async starts a task for each timer, which is what it has to cancel",
    revision: 2,
    parameters: [
      Parameter("standing", 0, 10_000, in: 0...1_000_000, help: "other timers that run meanwhile")
    ],
    check: .counted,
    rows: [(.c, CRow.loop(cb_timer_cancel_run))] + CancelRows<TimerCancel>.all)

  static let timeoutWrap = LoopWorkload(
    name: "timeout-wrap", summary: "a request that is answered at once, within 30 s",
    note: "what a limit costs is the difference between limited=1 and limited=0",
    parameters: [Parameter("limited", 0, 1, in: 0...1, help: "0: the request alone; 1: with a time limit")],
    check: .counted,
    rows: [(.c, CRow.loop(cb_timeout_wrap_run))] + TimeoutWrap.rows)

  static let cancel = LoopWorkload(
    name: "cancel", summary: "begin an operation and cancel it",
    note: "async starts a task for each operation, which is what it has to cancel",
    revision: 2,
    parameters: [
      Parameter(
        "what", 0, 1, 2, 3, 4, in: 0...4,
        help:
          "0: a read, 1: an accept, 2: a connect, 3: a stat, 4: ten timers (async: a task with ten children)")
    ],
    // Whether a thread has begun with the stat when it is cancelled.
    timing: { $0.parameters["what"] == 3 ? Counter.ofWork : [] },
    check: .counted,
    rows: [(.c, CRow.loop(cb_cancel_run))] + Cancel.rows)

  static let sleepChain = LoopWorkload(
    name: "sleep-chain", summary: "sleep, one sleep after the other",
    note: "a sleep in C may end up to 1 ms early, one of a style never does: compare CPU/op, not ops/s",
    parameters: [Parameter("milliseconds", 1, in: 0...10_000, help: "the length of a sleep")],
    check: .counted,
    rows: SleepChain.rows(beside: cb_sleep_chain_run))

  static let fsStat = LoopWorkload(
    name: "fs-stat", summary: "stat a file by its path",
    parameters: [inFlight(1, 64), fileSize(from: 0, "bytes of the first file")],
    isSingleThreaded: false,
    check: .fileSizes,
    rows: StatFiles.rows(beside: cb_fs_stat_run))

  static let fsRead = LoopWorkload(
    name: "fs-read", summary: "open a file, fstat, read it into a buffer, close",
    revision: 2,
    parameters: [inFlight(1, 64, takesDescriptors: true), fileSize(from: 1, "bytes of a file"), cores],
    isSingleThreaded: false,
    check: .fileContents,
    rows: ReadFiles.rows(beside: cb_fs_read_run))

  static let fsReadFile = LoopWorkload(
    name: "fs-read-file", summary: "read a whole file in one call (c: four calls of uv_fs)",
    parameters: [inFlight(1, takesDescriptors: true), fileSize(from: 1, "bytes of a file")],
    isSingleThreaded: false,
    check: .fileContents,
    rows: ReadWholeFiles.rows(beside: cb_fs_read_run))

  static let spawn = LoopWorkload(
    name: "spawn", summary: "start a child that ends at once, and wait for its end",
    note: "CPU/op is that of the parent alone",
    parameters: [
      inFlight(1, 4),
      Parameter("heap", 0, in: 0...64_000, help: "MiB of memory that the parent has besides"),
    ],
    // Counting its instructions would go on in the child.
    isSingleThreaded: false,
    check: .counted,
    rows: Spawn.rows(beside: cb_spawn_run))

  static let dns = LoopWorkload(
    name: "dns", summary: "look up localhost in the hosts file",
    parameters: [inFlight(1, 64)],
    isSingleThreaded: false,
    check: .counted,
    rows: [(.c, CRow.loop(cb_dns_run))] + Lookup.rows)

  static let wakeup = LoopWorkload(
    name: "wakeup", summary: "from another thread to the loop and back",
    parameters: [cores],
    isSingleThreaded: false,
    // Whether the loop waits already when it is woken decides who enqueues its job.
    timing: {
      $0.style == .async
        ? [.allocations, .allocatedBytes, .jobs, .jobsFromOtherThreads, .jobsRun, .wakeups] : []
    },
    check: .counted,
    rows: WakeUps.rows(beside: cb_wakeup_run))

  static let crossLoop = LoopWorkload(
    name: "cross-loop", summary: "a message to a loop on another thread, and its answer",
    revision: 2,
    parameters: [inFlight(1, 1000), cores],
    isSingleThreaded: false,
    // How many messages a loop finds when it is woken depends on timing.
    timing: { _ in Counter.ofWork },
    check: .mixed,
    rows: CrossLoop.rows(beside: cb_cross_loop_run))

  static let thenChain = LoopWorkload(
    name: "then-chain", summary: "three transformations of a value, without I/O",
    note: "C calls three functions in a row: the ratio shows a style's own cost, with no work beside it",
    parameters: [inFlight(64)],
    check: .chain,
    rows: ThenChain.rows(beside: cb_then_chain_run))

  static let hostCall = LoopWorkload(
    name: "host-call", summary: "a call that is answered in the same turn",
    note:
      "C calls a function with a callback; async spawns a task for each call, as an addon does for its host",
    parameters: [],
    check: .counted,
    rows: HostCall.rows(beside: cb_host_call_run))

  static let httpClient = LoopWorkload(
    name: "http-client", summary: "GET of a page from a server in C, over connections that stay open",
    note: "CPU/op is that of the client alone",
    parameters: [
      inFlight(50, takesDescriptors: true),
      Parameter("size", 13, 65_536, in: 1...(1 << 20), help: "bytes of the page"),
    ],
    // How many answers a turn of the loop finds is up to the server, and so is in how many parts long ones come:
    // with each part the task that reads it runs.
    timing: {
      let all: Set<Counter> = [.systemCalls, .vainCalls, .waits, .instructions]
      return $0.parameters["size"] > 16_384 ? all.union([.jobs, .jobsRun]) : all
    },
    check: .answers,
    rows: HTTPGet.rows(beside: cb_http_client_run))

  private static let cores = Parameter(
    "cores", 1, 2, in: 1...2,
    help: "1: both threads, or the loop and the pool, share a processor; 2: one each")

  static func inFlight(_ values: Int..., takesDescriptors: Bool = false) -> Parameter {
    var parameter = Parameter(
      "in-flight", in: 1...65_535, takesDescriptors: takesDescriptors, help: "operations under way at a time")
    parameter.values = values
    return parameter
  }

  // A buffer of nothing cannot be read into.
  private static func fileSize(from least: Int, _ help: String) -> Parameter {
    Parameter("size", 4096, in: least...(1 << 24), help: help)
  }
}
