#if Everything
import Foundation
import Testing
import UV
import UVPromises
import UVTestSupport

/// Several users of one host's loop, as plugins are, each with a loop of its own over it.
@Suite struct SeveralAdoptersTests {
  /// Begins what needs the current loop, and notes whether that was the loop itself.
  private static func begin(_ name: String, _ loop: EventLoop, _ log: Log<String>) {
    loop.sleep(for: .milliseconds(1)) { _ in log.append("\(name) callback \(EventLoop.current === loop)") }
    loop.sleep(for: .milliseconds(1)).promise()
      .then { loop.sleep(for: .milliseconds(1)).promise() }
      .done { log.append("\(name) promise \(EventLoop.current === loop)") }
      .catch { log.append("\(name) \($0)") }
    loop.spawn {
      do throws(UVError) {
        try await loop.sleep(for: .milliseconds(1)).value
        log.append("\(name) task \(EventLoop.current === loop)")
      } catch { log.append("\(name) \(error)") }
    }
  }

  private static func all(_ name: String) -> [String] {
    ["callback", "promise", "task"].map { "\(name) \($0) true" }
  }

  @Test func `Each of two adopted loops is the current one in its own callbacks`() async throws {
    try await withHost { host in
      let log = Log<String>()
      let (first, second) = (try EventLoop(adopting: host.loop), try EventLoop(adopting: host.loop))
      Self.begin("first", first, log)
      Self.begin("second", second, log)
      host.run()
      #expect(log.values.sorted() == Self.all("first") + Self.all("second"))
      first.detach()
      second.detach()
      host.run()
    }
  }

  @Test(
    "When one of two adopted loops leaves, the other goes on, whichever was first", arguments: [true, false])
  func oneLeaves(isFirst: Bool) async throws {
    try await withHost { host in
      let log = Log<String>()
      let loops = [try EventLoop(adopting: host.loop), try EventLoop(adopting: host.loop)]
      let (leaving, staying) = isFirst ? (loops[0], loops[1]) : (loops[1], loops[0])
      Self.begin("staying", staying, log)
      leaving.detach()
      host.run()
      #expect(EventLoop.current === staying)
      Self.begin("later", staying, log)
      host.run()
      #expect(log.values.sorted() == Self.all("later") + Self.all("staying"))
      staying.detach()
      host.run()
    }
  }

  @Test func `A plugin that leaves and adopts again in one turn goes on`() async throws {
    try await withHost { host in
      var loop = try EventLoop(adopting: host.loop)
      for round in 0..<3 {
        let log = Log<String>()
        Self.begin("\(round)", loop, log)
        host.run()
        #expect(log.values.sorted() == Self.all("\(round)"))
        loop.detach()
        loop = try EventLoop(adopting: host.loop)
      }
      host.run()
      #expect(EventLoop.current === loop)
      loop.detach()
      host.run()
    }
  }
}
#endif
