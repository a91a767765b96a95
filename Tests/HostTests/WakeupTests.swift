#if Everything
import CUV
import Foundation
import Testing
import UV
import UVTestSupport

#if os(Linux)
/// The descriptor that wakes a loop, which is polled by edge although libuv polls by level; see
/// Design/0033.
@Suite struct WakeupTests {
  /// What the system knows of the descriptors that a loop polls: the number of each, and the events.
  private func polled(_ loop: UnsafeMutablePointer<uv_loop_t>) throws -> [Int32: UInt32] {
    let text = try String(contentsOfFile: "/proc/self/fdinfo/\(uv_backend_fd(loop))", encoding: .utf8)
    var events: [Int32: UInt32] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.first == "tfd:", words.count > 3 else { continue }
      events[Int32(words[1])!] = UInt32(words[3], radix: 16)!
    }
    return events
  }

  private func byEdge(_ loop: UnsafeMutablePointer<uv_loop_t>) throws -> [Int32] {
    try polled(loop).filter { $0.value & EPOLLET.rawValue != 0 }.map(\.key)
  }

  @Test("A loop that libuv polls by level again is woken once for each signal all the same")
  func aLoopIsPolledByLevelAgain() async throws {
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      // So that the host's turns are turns.
      host.startTicking()
      var arrived = 0
      // Sound: changed on the loop's thread alone, which this is.
      nonisolated(unsafe) let count = { arrived += 1 }
      func wake() throws {
        let wanted = arrived + 1
        try loop.executor.execute { _ in count() }
        while arrived < wanted { host.turn() }
      }
      try wake()
      let descriptor = try #require(byEdge(host.loop).first)
      // As libuv would, if it began to poll the descriptor anew.
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.fd = descriptor
      #expect(epoll_ctl(uv_backend_fd(host.loop), EPOLL_CTL_MOD, descriptor, &event) == 0)
      #expect(try byEdge(host.loop) == [])
      for _ in 0..<10 { try wake() }
      host.stopTicking()
      let turns = Hooks.loopTurns ?? 0
      loop.sleep(for: .milliseconds(50)) { _ in uv_stop(host.loop) }
      host.run()
      #expect((Hooks.loopTurns ?? 0) - turns < 20)
      #expect(try byEdge(host.loop) == [descriptor])
      host.startTicking()
      try wake()
      host.stopTicking()
      loop.detach()
      host.run()
      #expect(host.close() == 0)
    }
  }

  @Test func `Messages of other threads arrive however often libuv begins to poll anew`() async throws {
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      var arrived = 0
      nonisolated(unsafe) let count = { arrived += 1 }
      let executor = loop.executor
      let sender = Thread {
        for _ in 0..<20_000 { try? executor.execute { _ in count() } }
      }
      sender.start()
      loop.spawn { while arrived < 20_000 { try? await loop.sleep(for: .milliseconds(1)).value } }
      var turns = 0
      while arrived < 20_000 {
        uv_run(host.loop, UV_RUN_ONCE)
        turns += 1
        guard turns % 7 == 0, let descriptor = try byEdge(host.loop).first else { continue }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        epoll_ctl(uv_backend_fd(host.loop), EPOLL_CTL_MOD, descriptor, &event)
      }
      #expect(arrived == 20_000)
      loop.detach()
      host.run()
      #expect(host.close() == 0)
    }
  }
}
#endif
#endif
