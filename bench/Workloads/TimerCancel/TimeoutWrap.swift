import BenchHarness
import UV

extension Workloads {
  /// One operation: a request that is answered in a microtask; with `limited=1`, within 30 s. Under way: 1. Checked: what was answered;
  /// that no timer is left.
  ///
  /// What a limit costs is the difference between `limited=1` and `limited=0` in the same style.
  static let timeoutWrap = LoopWorkload(
    name: "timeout-wrap", summary: "a request that is answered at once, within 30 s",
    note: "what a limit costs is the difference between limited=1 and limited=0",
    parameters: [Parameter("limited", 0, 1, in: 0...1, help: "0: the request alone; 1: with a time limit")],
    check: .counted,
    rows: [(.c, CRow.loop("timeout-wrap"))] + TimeoutWrap.rows,
    targets: [
      Target(
        "timeout-wrap", ["limited": 1], .nanoseconds, above: ["limited": 0],
        bounds: [.callback: 300, .async: 300, .promise: 300, .future: 300])
    ])
}

/// `timeout-wrap`: a request that is answered at once, with a time limit or without.
enum TimeoutWrap {
  static let rows = RequestRows<(loop: EventLoop, request: Request<UInt64>)>(isSampled: true) { task, loop in
    let call = Request<UInt64>(loop) { done in
      loop.queueMicrotask { done(.success(1)) }
      return PendingRequest()
    }
    return (loop, task.parameters["limited"] != 0 ? call.timeout(after: task.timeout) : call)
  } request: { context, _ in
    context.request
  } end: { context in
    if context.loop.statistics.timers != 0 { throw WrongWork("a timer is left") }
  }.all
}
