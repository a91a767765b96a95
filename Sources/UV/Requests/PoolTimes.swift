import CUV

/// How long the thread pool has had requests of a loop, all together.
package struct PoolTimes: Sendable {
  /// How many requests the pool has finished.
  package private(set) var count = 0
  /// How long they have waited for a thread, in nanoseconds.
  package private(set) var waiting: UInt64 = 0
  /// How long threads have worked on them, in nanoseconds. Of some requests nobody knows when a thread began,
  /// because libuv runs them; their wait is in here, too.
  package private(set) var running: UInt64 = 0

  /// No requests.
  package init() {}

  mutating func add(waiting: UInt64 = 0, running: UInt64) {
    count += 1
    self.waiting += waiting
    self.running += running
  }
}

extension EventLoop {
  /// How long the thread pool has had requests; nil unless the loop measures it.
  package var poolTimes: PoolTimes? { requests.poolTimes }
}

extension ActiveRequest {
  /// Counts a request that libuv itself has run, to the millisecond of the loop's clock. The sum of many is
  /// right, because the clock's steps come at any moment.
  func countTime() {
    if loop.requests.poolTimes != nil {
      loop.requests.poolTimes!.add(running: (uv_now(loop.raw) &- start) &* 1_000_000)
    }
  }
}
