#if Everything
import Foundation
import Testing
import UVTestSupport

@testable import UVHTTP

/// Requests that a server on a host's loop works on, while nothing but a read keeps watch over the client.
@Suite struct HeldRequestTests {
  enum Event: CaseIterable { case clientGoes, clientEnds, serverCloses, loopLeaves, loopLeavesInACallback }

  struct Row: CustomTestStringConvertible, Sendable {
    var event: Event
    var isPolled: Bool
    var isSecure: Bool

    static let all = Event.allCases.flatMap { event in
      [false, true].flatMap { isPolled in
        [false, true].map { Row(event: event, isPolled: isPolled, isSecure: $0) }
      }
    }
    var testDescription: String {
      "\(event)\(isPolled ? ", polled" : "")\(isSecure ? ", TLS" : "")"
    }
  }

  /// What a row has seen. Sound: it is touched on the host's thread alone.
  private final class State: @unchecked Sendable {
    var losses: [UVError.Code] = []
    /// How the answer has ended.
    var ends: [UVError.Code?] = []
    var isAnswered = false
    var isLeaving = false
  }

  /// Begins a server that holds a request, and a client of it.
  private static func begin(_ loop: EventLoop, _ row: Row, _ state: State) throws {
    let hosted = try HostedServer(loop, isSecure: row.isSecure)
    let server = hosted.server
    var answer: (() -> Void)?
    server.start { result in
      guard case .success(let exchange?) = result else { return }
      answer = { exchange.respond(HTTPResponse(status: .ok)) { state.ends.append($0.error?.code) } }
      exchange.whenLost {
        state.losses.append($0)
        answer.take()?()
      }
    }
    loop.spawn {
      defer { server.close() }
      do {
        let stream = try await hosted.connect()
        defer { stream.close() }
        try await stream.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx").value
        try await loop.until { answer != nil }
        // The read that keeps watch is under way in the turn after.
        try await loop.sleep(for: .zero).value
        switch row.event {
        case .clientGoes:
          // As one that crashes, or is cut off.
          if let stream = stream as? TCPConnection {
            stream.closeReset()
          } else {
            _ = Foundation.shutdown(try stream.fileDescriptor(), Int32(SHUT_RDWR))
          }
          return try await loop.until { !state.ends.isEmpty }
        case .clientEnds: try await stream.shutdown().value
        case .serverCloses: server.close()
        case .loopLeaves: state.isLeaving = true
        case .loopLeavesInACallback: loop.detach()
        }
        try await loop.sleep(for: .zero).value
        answer.take()?()
        let head = try await stream.read(until: "\r\n\r\n", limit: 1000).value
        state.isAnswered = head?.starts(with: "HTTP/1.1 200 ".utf8) ?? false
      } catch {}
    }
  }

  @Test(
    "Whoever holds one hears that the client has gone, and a client that stays gets its answer",
    arguments: Row.all)
  func row(row: Row) async throws {
    _ = Certificates.shared
    try await withThread {
      let host = Host()
      let loop = try EventLoop(adopting: host.loop)
      let state = State()
      try Self.begin(loop, row, state)
      if row.event == .loopLeaves {
        while !state.isLeaving { host.turn() }
        loop.detach()
      }
      if row.isPolled { host.runByPolling() } else { host.run() }
      switch row.event {
      case .clientEnds, .serverCloses:
        #expect(state.losses == [] && state.ends == [nil] && state.isAnswered)
      case .clientGoes:
        #expect(state.losses.count == 1 && state.ends == [.brokenPipe])
      case .loopLeaves, .loopLeavesInACallback:
        #expect(state.losses.count == 1 && state.ends.count == 1 && state.ends != [nil])
      }
      #expect(loop.statistics.isIdle)
      loop.detach()
      host.run()
      #expect(host.foreignHandles == 0)
      #expect(host.close() == 0)
    }
  }
}
#endif
