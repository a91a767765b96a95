import Foundation
import Testing
import UV
import UVTestSupport

/// Connecting to a name whose addresses come one after the other, while attempts are under way: each address is tried when it is
/// its turn, neither before nor after.
@Suite struct HostConnectTests {
  /// Lookups that are answered by hand.
  private final class Lookups: NameLookup {
    var asked: [Int32: Completion<[SocketAddress]>] = [:]
    var cancelled: Set<Int32> = []

    func addresses(
      of host: String, port: UInt16, family: Int32, _ done: @escaping Completion<[SocketAddress]>
    ) -> PendingRequest {
      asked[family] = done
      return PendingRequest("lookup") { self.cancelled.insert(family) }
    }

    func nameInfo(
      of address: SocketAddress, _ options: NameInfoOptions, _ done: @escaping Completion<NameInfo>
    ) -> PendingRequest { PendingRequest() }

    func answer(_ family: Int32, _ result: Result<[SocketAddress], UVError>) {
      asked.removeValue(forKey: family)?(result)
    }
  }

  private struct Places {
    let open: TCPListener
    let closed: SocketAddress
    let full: TCPListener
    let waiting: [TCPConnection]

    var answers: SocketAddress { get throws { try open.localAddress() } }
    var hangs: SocketAddress { get throws { try full.localAddress() } }
  }

  private func withPlaces(
    _ body: nonisolated(nonsending) @escaping @Sendable (EventLoop, Lookups, Places) async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let open = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let other = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let closed = try other.localAddress()
      try await other.close().value
      let full = try loop.tcp.listen(host: "127.0.0.1", port: 0, backlog: 1)
      var waiting: [TCPConnection] = []
      let address = try full.localAddress()
      while true {
        do throws(UVError) {
          waiting.append(try await loop.tcp.connect(to: address).timeout(after: .milliseconds(200)).value)
        } catch { break }
      }
      let lookups = Lookups()
      NameLookups.all[loop].used = lookups
      try await body(loop, lookups, Places(open: open, closed: closed, full: full, waiting: waiting))
      open.close()
      full.close()
      for connection in waiting { connection.close() }
    }
  }

  /// What has come before the addresses that answer.
  enum Before: CaseIterable { case nothing, refused, hangsInItsTime, hangsAfterItsTime, refusedThenHangs }

  @Test("Addresses that come late are tried when it is their turn", arguments: Before.allCases)
  func late(before: Before) async throws {
    try await withPlaces { loop, lookups, places in
      let attempt = before == .hangsAfterItsTime ? Duration.milliseconds(20) : .milliseconds(300)
      let log = Log<String>()
      let handles = loop.statistics.handles
      loop.tcp.connect(
        host: "name.example", port: 1, delays: ConnectDelays(resolution: .seconds(1000), attempt: attempt)
      ) {
        log.append($0.error?.name ?? "connected")
        $0.value?.close()
      }
      let begin = LoopClock.Instant.now
      // Those of IPv6 are tried at once; here they are of the same machine.
      switch before {
      case .nothing: lookups.answer(AF_INET6, .failure(UVError(.unknownHost, operation: "test")))
      case .refused: lookups.answer(AF_INET6, .success([places.closed]))
      case .hangsInItsTime, .hangsAfterItsTime: lookups.answer(AF_INET6, .success([try places.hangs]))
      case .refusedThenHangs: lookups.answer(AF_INET6, .success([places.closed, try places.hangs]))
      }
      try await loop.settle()
      if before == .hangsAfterItsTime { try await loop.sleep(for: attempt * 3).value }
      // More may come.
      #expect(log.values == [])
      let asked = LoopClock.Instant.now
      lookups.answer(AF_INET, .success([try places.answers]))
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == ["connected"])
      switch before {
      case .hangsInItsTime, .refusedThenHangs: #expect(begin.duration(to: .now) >= attempt)
      case .nothing, .refused, .hangsAfterItsTime: #expect(asked.duration(to: .now) < .milliseconds(250))
      }
      // The other sockets are closed.
      try await loop.until { loop.statistics.handles <= handles }
    }
  }

  @Test("If nothing answers, the error comes once no more addresses can", arguments: [false, true])
  func fails(isUnknown: Bool) async throws {
    try await withPlaces { loop, lookups, places in
      let log = Log<String>()
      loop.tcp.connect(host: "name.example", port: 1) { log.append("\($0.error!.code)") }
      let unknown = UVError(.unknownHost, operation: "test")
      lookups.answer(AF_INET6, isUnknown ? .failure(unknown) : .success([places.closed]))
      try await loop.settle()
      #expect(log.values == [])
      lookups.answer(AF_INET, .failure(unknown))
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == ["\(isUnknown ? UVError.Code.unknownHost : .connectionRefused)"])
    }
  }

  @Test(
    "A connect that is cancelled, or that is connected, looks up nothing any more", arguments: [false, true])
  func ends(isCancelled: Bool) async throws {
    try await withPlaces { loop, lookups, places in
      let log = Log<String>()
      let pending = loop.tcp.connect(host: "name.example", port: 1) {
        log.append($0.error?.name ?? "connected")
        $0.value?.close()
      }
      if isCancelled {
        lookups.answer(AF_INET6, .success([try places.hangs]))
        pending.cancel()
      } else {
        lookups.answer(AF_INET6, .success([try places.answers]))
      }
      try await loop.until { !log.values.isEmpty }
      #expect(log.values == [isCancelled ? "ECANCELED" : "connected"])
      #expect(lookups.cancelled.contains(AF_INET))
      lookups.answer(AF_INET, .success([try places.answers]))
      pending.cancel()
      try await loop.settle()
      #expect(log.values.count == 1)
    }
  }
}
