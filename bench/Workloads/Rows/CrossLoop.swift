import CBenchSupport
import UV

/// `cross-loop`: a message to a loop on another thread, and its answer.
enum CrossLoop {
  static let rows = RequestRows<(own: EventLoop, others: EventLoopGroup, seed: UInt64)> { task, loop in
    let others = try EventLoopGroup(count: 1)
    try others.next().execute { [other = task.otherCPU] _ in bench_pin_thread(other) }
    return (loop, others, task.seed)
  } request: { context, index in
    let value = context.seed &+ UInt64(index)
    return context.others.next().submit(on: context.own) { _ in bench_mix(value) }
  } end: { _ in
  }.all
}
