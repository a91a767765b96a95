import Foundation
import Synchronization
import Testing
import UVDNS

/// The end of a process that looks names up.
@Suite struct ProcessEndTests {
  /// Has four loops look up names that no server answers, each with resolvers that come and go.
  ///
  /// - Parameter exits: Whether a handler ends the process. It does so alone: where two threads call `exit`, or one calls it
  ///   as the program returns from main, there is no defined end.
  static func lookUp(exits: Bool) throws {
    final class Count: Sendable { let value = Atomic(0) }
    let count = Count()
    let group = try EventLoopGroup(count: 4)
    @Sendable func next(_ loop: EventLoop) {
      var options = DNSResolverOptions()
      (options.timeout, options.tries) = (.milliseconds(2), 1)
      options.servers = (try? SocketAddress("127.0.0.1", port: 9)).map { [$0] }
      guard let resolver = try? DNSResolver(loop, options: options) else { return }
      resolver.dns.resolve("example.org") { _ in
        _ = resolver
        if count.value.add(1, ordering: .relaxed).newValue == 200, exits { exit(0) }
        next(loop)
      }
    }
    for executor in group.executors { try executor.execute { loop in for _ in 0..<4 { next(loop) } } }
    while count.value.load(ordering: .relaxed) < 1000 { usleep(100) }
    if exits { sleep(60) }
  }

  @Test func `A process may end while loops look names up, by exit in a handler or main's return`() async {
    for _ in 0..<10 {
      await #expect(processExitsWith: .success) { try Self.lookUp(exits: true) }
      await #expect(processExitsWith: .success) { try Self.lookUp(exits: false) }
    }
  }
}
