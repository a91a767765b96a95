import Testing
import UVTestSupport

@testable import UV

/// What asks a loop that is closed for something. It gets `loopClosed`, once, and nothing has begun.
@Suite struct ClosedLoopTests {
  private typealias Ask = (EventLoop, @escaping (UVError?) -> Void) -> Void

  /// A request that is kept by nobody else.
  private static func request<T>(_ make: @escaping (EventLoop) -> Request<T>) -> Ask {
    { loop, done in make(loop).start { done($0.error) } }
  }

  private static func asks(_ group: EventLoopGroup) -> [String: Ask] {
    let (second, soon) = (Duration.seconds(1), LoopClock.Instant.now.advanced(by: .seconds(1)))
    return [
      "sleep": request { $0.sleep(for: second) },
      "sleep until": { loop, done in loop.sleep(until: soon) { done($0.error) } },
      "quiet sleep": { loop, done in _ = loop.sleepQuietly(for: second) { done($0.error) } },
      "quiet sleep until": { loop, done in _ = loop.sleepQuietly(until: soon) { done($0.error) } },
      "limit": { loop, done in _ = loop.startLimit(second) { done($0.error) } },
      "tick": request { $0.ticks(every: second).next() },
      "source": request { CustomSource<Int>($0, "source") { _ in }.next() },
      "timeout": request { $0.sleep(for: .untilCancelled).timeout(after: second) },
      "stat": request { $0.files.stat("/") },
      "readFile": request { $0.files.readFile("/etc/passwd") },
      "work": request { $0.work { 1 } },
      "random": request { $0.random(16) },
      "resolve": request { $0.dns.resolve("localhost") },
      "connect": request { $0.tcp.connect(host: "127.0.0.1", port: 9) },
      "pipe": request { $0.pipes.connect(path: "/nowhere") },
      "run": request { $0.processes.run("true") },
      "submit": request { group.next().submit(on: $0) { _ in 1 } },
      "body elsewhere": request { group.next().run(on: $0) { _ in 1 } },
      "lag of a group": request { group.lag(on: $0) },
      "end of a group": request { group.shutdownGracefully(within: .seconds(1), on: $0) },
    ]
  }

  @Test func `Each function says so, once, and leaves nothing in the loop's lists`() async throws {
    let log = Log<String>()
    let names = Log<String>()
    try await withThread {
      let group = try EventLoopGroup(count: 1)
      let loop = try EventLoop()
      let asks = Self.asks(group)
      loop.shutdown()
      weak var token: Token?
      do {
        let kept = Token()
        token = kept
        for (name, ask) in asks {
          names.append(name)
          ask(loop) { [kept] in
            withExtendedLifetime(kept) {}
            log.append("\(name): \($0?.code.name ?? "none")")
          }
          let now = loop.statistics
          #expect(now.requests == 0 && now.timers == 0 && now.handles == 0, "\(name): \(now)")
        }
      }
      EventLoop.run { _ in _ = await group.shutdownGracefully(within: .zero) }
      #expect(token == nil)
    }
    #expect(log.values.sorted() == names.values.map { "\($0): ELOOPCLOSED" }.sorted())
  }

  @Test func `A task of a loop that ends is refused in the same way, once`() async throws {
    let log = Log<String>()
    let names = Log<String>()
    try await withThread {
      let group = try EventLoopGroup(count: 1)
      let loop = try EventLoop()
      let asks = Self.asks(group)
      loop.spawn {
        #expect(loop.isClosed && Task.isCancelled)
        for (name, ask) in asks {
          names.append(name)
          ask(loop) { log.append("\(name): \($0?.code.name ?? "none")") }
        }
      }
      loop.shutdown()
      EventLoop.run { _ in _ = await group.shutdownGracefully(within: .zero) }
    }
    #expect(!names.values.isEmpty)
    #expect(log.values.sorted() == names.values.map { "\($0): ELOOPCLOSED" }.sorted())
  }

  private final class Token {}
}
