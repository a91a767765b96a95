import NIOCore
import NIOPosix

/// The same workloads with SwiftNIO's futures, on the thread of an event loop of its own.
enum NIOWorkloads {
  static func mapChain(_ count: Int) {
    repeatOnLoop(count) { loop in
      let promise = loop.makePromise(of: Int.self)
      let end = promise.futureResult.map { $0 + 1 }.map { $0 + 1 }.map { $0 + 1 }
      promise.succeed(1)
      return end
    }
  }

  static func flatMapChain(_ count: Int) {
    repeatOnLoop(count) { loop in
      let promise = loop.makePromise(of: Int.self)
      let end = promise.futureResult.flatMap { loop.makeSucceededFuture($0 + 1) }
        .flatMap { loop.makeSucceededFuture($0 + 1) }.flatMap { loop.makeSucceededFuture($0 + 1) }
      promise.succeed(1)
      return end
    }
  }

  static func whenOfThousand(_ count: Int) {
    repeatOnLoop(count) { loop in
      var promises: [EventLoopPromise<Int>] = []
      promises.reserveCapacity(1000)
      var futures: [EventLoopFuture<Int>] = []
      futures.reserveCapacity(1000)
      for _ in 0..<1000 {
        let promise = loop.makePromise(of: Int.self)
        promises.append(promise)
        futures.append(promise.futureResult)
      }
      let end = EventLoopFuture.whenAllSucceed(futures, on: loop)
      for (index, promise) in promises.enumerated() { promise.succeed(index) }
      return end.map { $0.count }
    }
  }

  private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// NIO's handlers run when the promise is resolved, so that the operations can follow one another in a
  /// loop.
  @inline(__always)
  private static func repeatOnLoop(
    _ count: Int, _ operation: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Int>
  ) {
    let loop = group.next()
    try! loop.submit {
      let total = Total()
      for _ in 0..<count { operation(loop).assumeIsolated().whenSuccess { total.add($0) } }
      precondition(total.sum != 0)
    }.wait()
  }
}
