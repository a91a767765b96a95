#if Everything
import CUV
import Foundation
import Testing
import UV
import UVTestSupport

/// A program that has a libuv loop already, as one in C would: it makes the loop, runs it and closes it, and
/// has a timer of its own on it.
final class Host {
  let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  /// What the host keeps in its loop's data, which is nobody else's.
  private let data = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  init() {
    uv_loop_init(loop)
    data.pointee = 0
    loop.pointee.data = UnsafeMutableRawPointer(data)
    uv_timer_init(loop, timer)
  }

  deinit {
    timer.deallocate()
    data.deallocate()
    loop.deallocate()
  }

  /// How often the host's timer has fired.
  var ticks: Int { data.pointee }

  /// Whether the loop's data still is the host's.
  var hasItsData: Bool { loop.pointee.data == UnsafeMutableRawPointer(data) }

  func startTicking() { uv_timer_start(timer, hostTick, 1, 1) }
  func stopTicking() { uv_timer_stop(timer) }

  /// Runs until nothing is left that keeps the loop alive.
  func run() { uv_run(loop, UV_RUN_DEFAULT) }

  /// Runs one turn without waiting.
  func turn() { uv_run(loop, UV_RUN_NOWAIT) }

  /// Runs the loop as part of another, which waits for its descriptor.
  func runByPolling() {
    uv_run(loop, UV_RUN_NOWAIT)
    while uv_loop_alive(loop) != 0 {
      var entry = pollfd(fd: uv_backend_fd(loop), events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, uv_backend_timeout(loop))
      uv_run(loop, UV_RUN_NOWAIT)
    }
  }

  /// How many handles are on the loop beside the host's timer.
  var foreignHandles: Int {
    var count = 0
    uv_walk(loop, countHandle, &count)
    return count - 1
  }

  /// Closes what is the host's, and the loop; libuv's answer, which is not 0 while something is left on it.
  func close() -> Int32 {
    uv_close(UnsafeMutableRawPointer(timer).assumingMemoryBound(to: uv_handle_t.self), nil)
    uv_run(loop, UV_RUN_DEFAULT)
    return uv_loop_close(loop)
  }
}

/// Runs `body` with a host on a thread of its own, and expects that nothing is left on the host's loop, nor on the thread.
func withHost(_ body: @escaping @Sendable (Host) throws -> Void) async throws {
  try await withThread {
    let host = Host()
    try body(host)
    #expect(host.close() == 0)
    #expect(EventLoop.current == nil)
  }
}

private func hostTick(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  timer!.pointee.loop.pointee.data.assumingMemoryBound(to: Int.self).pointee += 1
}

private func countHandle(_: UnsafeMutablePointer<uv_handle_t>?, _ count: UnsafeMutableRawPointer?) {
  count!.assumingMemoryBound(to: Int.self).pointee += 1
}
#endif
