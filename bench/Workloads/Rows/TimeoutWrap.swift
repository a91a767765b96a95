import BenchHarness
import UV

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
