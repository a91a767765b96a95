#if Everything
import CUV
import Foundation
import Testing
import UVPromises
import UVTestSupport

@testable import UVHTTP

/// Long answers of a server on a host's loop, to clients that are slow to take them.
@Suite struct LongAnswerTests {
  private static let part = Bytes((0..<50_000).map { UInt8(truncatingIfNeeded: $0) })
  private static let count = 400
  private static let whole = Bytes((0..<count).flatMap { _ in Array(part) })

  /// How an answer is given.
  enum Kind: CaseIterable {
    /// In parts: each is written when the one before is on its way.
    case task, callbacks, promises
    case whole, file
  }

  /// What happens when the client has taken a part.
  enum Event: CaseIterable { case none, clientGoes, loopLeaves, loopLeavesInACallback, serverCloses }

  struct Row: CustomTestStringConvertible, Sendable {
    var kind: Kind
    var event: Event
    var isPolled: Bool
    var isSecure: Bool

    static let all = Kind.allCases.flatMap { kind in
      Event.allCases.flatMap { event in
        [false, true].flatMap { isPolled in
          [false, true].map { Row(kind: kind, event: event, isPolled: isPolled, isSecure: $0) }
        }
      }
    }
    var testDescription: String {
      "\(kind), \(event)\(isPolled ? ", polled" : "")\(isSecure ? ", TLS" : "")"
    }
  }

  /// What a row has seen. Sound: it is touched on the host's thread alone.
  private final class State: @unchecked Sendable {
    /// How the answers have ended.
    var ends: [UVError.Code?] = []
    var taken = 0
    var mostQueued = 0
    weak var connection: ServerConnection?
    var isLeaving = false
  }

  private static func answer(_ exchange: HTTPExchange, _ row: Row, _ state: State, _ file: String) throws {
    let ok = HTTPResponse(status: .ok)
    func end(_ result: Result<Void, UVError>) { state.ends.append(result.error?.code) }
    switch row.kind {
    case .whole:
      exchange.respond(ok, whole, end)
    case .file:
      exchange.loop.files.open(file) { result in
        guard case .success(let file) = result else { return end(result.map { _ in () }) }
        exchange.respond(ok, file: file, count: part.count * count) { result in
          end(result)
          file.close { _ in }
        }
      }
    case .callbacks:
      let writer = try exchange.begin(ok, length: part.count * count)
      state.connection = writer.connection
      func write(_ rest: Int) {
        guard rest > 0 else {
          writer.finish([:], end)
          return
        }
        writer.write(part) { result in
          if case .failure = result { end(result) } else { write(rest - 1) }
        }
      }
      write(count)
    case .task:
      exchange.loop.spawn {
        do throws(UVError) {
          let writer = try exchange.begin(ok, length: part.count * count)
          state.connection = writer.connection
          for _ in 0..<count { try await writer.write(part).value }
          try await writer.finish().value
          state.ends.append(nil)
        } catch { state.ends.append(error.code) }
      }
    case .promises:
      let writer = try exchange.begin(ok, length: part.count * count)
      state.connection = writer.connection
      func write(_ rest: Int) -> Promise<Void> {
        if rest == 0 { return writer.finish().promise() }
        return writer.write(part).promise().then { write(rest - 1) }
      }
      write(count).done { end(.success(())) }
        .catch(policy: .allErrors) { state.ends.append(($0 as? UVError)?.code) }
    }
  }

  /// Begins a server and a client that takes a part a turn, and then as they come.
  private static func begin(_ loop: EventLoop, _ row: Row, _ state: State, _ directory: String) throws {
    let hosted = try HostedServer(loop, isSecure: row.isSecure)
    let server = hosted.server
    server.start { result in
      guard case .success(let exchange?) = result else { return }
      do { try answer(exchange, row, state, "\(directory)/file") } catch { Issue.record(error) }
    }
    loop.spawn {
      defer { server.close() }
      do {
        let stream = try await hosted.connect()
        defer { stream.close() }
        try await stream.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").value
        _ = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        for number in 0..<count {
          let bytes = try await stream.read(exactly: part.count).value
          if bytes != part { return }
          state.taken += 1
          if let connection = state.connection {
            state.mostQueued = max(
              state.mostQueued, connection.output.count + connection.stream.writeQueueSize)
          }
          // In the second half nothing but the answer wakes the loop.
          if number < count / 2 { try await loop.sleep(for: .zero).value }
          guard number == 3 else { continue }
          switch row.event {
          case .none: break
          case .clientGoes: return
          case .serverCloses: server.close()
          case .loopLeavesInACallback: loop.detach()
          case .loopLeaves: state.isLeaving = true
          }
        }
      } catch {}
    }
  }

  @Test(
    "They are whole, or whoever gives one hears of its end, and nothing is left in the host",
    arguments: Row.all)
  func row(row: Row) async throws {
    _ = Certificates.shared
    let part = Self.part
    try await withTemporaryDirectory { directory in
      try await withThread {
        if row.kind == .file { try Data(Self.whole).write(to: URL(fileURLWithPath: "\(directory)/file")) }
        let host = Host()
        let loop = try EventLoop(adopting: host.loop)
        let state = State()
        try Self.begin(loop, row, state, directory)
        if row.event == .loopLeaves {
          while !state.isLeaving { host.turn() }
          loop.detach()
        }
        if row.isPolled { host.runByPolling() } else { host.run() }
        switch row.event {
        case .none, .serverCloses:
          #expect(state.taken == Self.count && state.ends == [nil])
        default:
          #expect(4...8 ~= state.taken && state.ends.count == 1 && state.ends != [nil])
        }
        // One part, and as much as may wait before it.
        #expect(state.mostQueued <= 65536 + part.count + (row.isSecure ? 4096 : 0))
        #expect(state.connection == nil)
        #expect(loop.statistics.isIdle)
        loop.detach()
        host.run()
        #expect(host.foreignHandles == 0)
        #expect(host.close() == 0)
      }
    }
  }
}
#endif
