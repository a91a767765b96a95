import Foundation
import Synchronization
import Testing
import UVDNS

/// The end of a process that looks names up.
@Suite struct ProcessEndTests {
  /// Has four loops look up names that no server answers, each with resolvers that come and go.
  static func lookUp(until isEnough: @escaping @Sendable (Int) -> Void) throws {
    final class Count: Sendable { let value = Atomic(0) }
    let count = Count()
    let group = try EventLoopGroup(count: 4)
    @Sendable func next(_ loop: EventLoop) {
      var options = ResolverOptions()
      (options.timeout, options.tries) = (.milliseconds(2), 1)
      options.servers = (try? SocketAddress("127.0.0.1", port: 9)).map { [$0] }
      guard let resolver = try? Resolver(loop, options: options) else { return }
      resolver.dns.resolve("example.org") { _ in
        _ = resolver
        isEnough(count.value.add(1, ordering: .relaxed).newValue)
        next(loop)
      }
    }
    for executor in group.executors { try executor.execute { loop in for _ in 0..<4 { next(loop) } } }
    while count.value.load(ordering: .relaxed) < 1000 { usleep(100) }
  }

  @Test func `A process may end while loops look names up, by exit in a handler or main's return`() async {
    for _ in 0..<10 {
      await #expect(processExitsWith: .success) { try Self.lookUp { if $0 == 200 { exit(0) } } }
      await #expect(processExitsWith: .success) { try Self.lookUp { _ in } }
    }
  }
}
