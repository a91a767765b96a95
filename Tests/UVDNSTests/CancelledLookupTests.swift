import Testing
import UVDNS
import UVTestSupport

/// Programs of lookups, some of which are cancelled at whatever time. c-ares can end all of its questions only, so that
/// the resolver counts which of them nobody waits for.
@Suite struct CancelledLookupTests {
  /// When a lookup is cancelled.
  enum Moment: CaseIterable {
    case never, atOnce, inAMicrotask, inTheNextTurn, later, whenAnother
  }

  /// How the answer comes: without a server, by it, or not at all.
  enum Way: CaseIterable { case number, file, server, nobody }

  @Test(
    "Whichever lookups are cancelled, and whenever, each other one gets its own answer", arguments: 1...4)
  func anyOfThem(seed: UInt64) async throws {
    try await withLoop { loop in
      let server = try NameServer(loop) {
        $0.name.hasPrefix("nobody") ? .silence : .records([[192, 0, 2, 1]], type: $0.type == 1 ? nil : 5)
      }
      let resolver = try server.resolver(tries: 1, timeout: .seconds(1000))
      let draws = Draws(seed)
      var waiting: [Int: PendingRequest] = [:]
      var cancelled: Set<Int> = []
      let complaints = Log<String>()
      for number in 0..<20 {
        let way = draws.one(of: Way.allCases)
        // One that nobody answers ends by its cancellation alone.
        let moment = way == .nobody ? .later : draws.one(of: Moment.allCases)
        func ended<T>(_ result: Result<T, UVError>) {
          waiting[number] = nil
          guard case .failure(let error) = result else { return }
          if !cancelled.contains(number) {
            complaints.append("\(number), \(way), cancelled \(moment): \(error)")
          }
          if error.code != .cancelled { complaints.append("\(number), \(way): \(error)") }
          if draws.draw(3) == 0, let (other, pending) = waiting.first { cancel(other, pending) }
        }
        func cancel(_ number: Int, _ pending: PendingRequest?) {
          cancelled.insert(number)
          pending?.cancel()
        }
        var hasEnded = false
        let pending: PendingRequest
        switch way {
        case .number:
          pending = resolver.dns.resolve("192.0.2.\(number)", port: 1) {
            hasEnded = true; ended($0)
          }
        case .file:
          pending = resolver.dns.resolve("localhost", port: 1) {
            hasEnded = true; ended($0)
          }
        case .server:
          pending = resolver.query("\(number).test", .a) {
            hasEnded = true; ended($0)
          }
        case .nobody:
          pending = resolver.query("nobody\(number).test", .a) {
            hasEnded = true; ended($0)
          }
        }
        #expect(!hasEnded)
        waiting[number] = pending
        switch moment {
        case .never, .whenAnother: break
        case .atOnce: cancel(number, pending)
        case .inAMicrotask: loop.queueMicrotask { cancel(number, waiting[number]) }
        case .inTheNextTurn: loop.sleep(for: .zero) { _ in cancel(number, waiting[number]) }
        case .later:
          loop.sleep(for: .milliseconds(Int64(draws.draw(5)))) { _ in cancel(number, waiting[number]) }
        }
        // Alone, with one other, or with many.
        switch draws.draw(4) {
        case 0: try await loop.until { waiting.isEmpty }
        case 1: try await loop.sleep(for: .milliseconds(1)).value
        default: break
        }
      }
      try await loop.until { waiting.isEmpty }
      // Nothing is left of them that counts for the next.
      #expect(try await resolver.query("last.test", .a).value.count == 1)
      #expect(complaints.values == [])
      server.close()
    }
  }
}
