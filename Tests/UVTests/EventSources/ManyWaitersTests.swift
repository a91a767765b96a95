import Foundation
import Testing
import UV
import UVTestSupport

/// Several who wait for one source at the same time: what concerns all of them reaches each.
@Suite struct ManyWaitersTests {
  /// What happens to a source while others wait for it.
  enum Event: CaseIterable {
    case refusal, readTimeout, idleTimeout, totalTimeout, peerEnds, peerResets, close, error, end
  }

  /// The source, what happens, and the end of each who waits.
  private nonisolated(nonsending) func make(
    _ event: Event, _ loop: EventLoop, _ client: TCPConnection, _ server: TCPConnection
  ) async throws -> (any EventSource, () -> Void, String) {
    switch event {
    case .refusal:
      let gone = try loop.udp.bind(host: "127.0.0.1", port: 0)
      let address = try gone.localAddress()
      try await gone.close().value
      let socket = try loop.udp.connect(to: address)
      return (socket, { socket.send("x") { _ in } }, "ECONNREFUSED")
    case .readTimeout: return (client, { client.readTimeout = .milliseconds(5) }, "ETIMEDOUT")
    case .idleTimeout: return (client, { client.idleTimeout = .milliseconds(5) }, "ETIMEDOUT")
    case .totalTimeout: return (client, { client.totalTimeout = .milliseconds(5) }, "ETIMEDOUT")
    case .peerEnds: return (client, { server.shutdown { _ in } }, "end")
    case .peerResets: return (client, { server.closeReset() }, "ECONNRESET")
    case .close: return (client, { client.close() }, "ECANCELED")
    case .error, .end:
      let source = CustomSource<Int>(loop, "source")
      if event == .end { return (source, { source.finish() }, "end") }
      return (source, { source.finish(UVError(.brokenPipe, operation: "source")) }, "EPIPE")
    }
  }

  private func wait<Source: EventSource>(
    _ source: Source, _ loop: EventLoop, _ count: Int, _ log: Log<String>
  ) -> [PendingRequest] {
    (0..<count).map { number in
      if number % 3 == 2 {
        let task = loop.spawn { () async in
          do throws(UVError) {
            log.append("\(number) \(try await source.next().value == nil ? "end" : "element")")
          } catch { log.append("\(number) \(error.name)") }
        }
        return PendingRequest { task.cancel() }
      }
      return source.next { result in
        switch result {
        case .success(let element): log.append("\(number) \(element == nil ? "end" : "element")")
        case .failure(let error): log.append("\(number) \(error.name)")
        }
      }
    }
  }

  @Test(arguments: Event.allCases, 1...5)
  func `What ends a wait ends that of everybody, also after one of them has left`(event: Event, count: Int)
    async throws
  {
    // The second time one in the middle leaves before.
    for leaves in count == 1 ? [false] : [false, true] {
      try await withPair { loop, client, server in
        let (source, happen, end) = try await make(event, loop, client, server)
        let log = Log<String>()
        let pending = wait(source, loop, count, log)
        try await loop.settle()
        #expect(log.values == [])
        let left = leaves ? count / 2 : nil
        if let left {
          pending[left].cancel()
          try await loop.settle { !log.values.isEmpty }
        }
        happen()
        try await loop.until { log.values.count == count }
        try await loop.settle()
        #expect(
          log.values.sorted() == (0..<count).map { "\($0) \($0 == left ? "ECANCELED" : end)" }, "\(event)")
        // After an error that isn't the end, it goes on.
        if event == .refusal {
          let again = Log<String>()
          let more = wait(source, loop, 1, again)
          try await loop.settle()
          #expect(again.values == [])
          for request in more { request.cancel() }
          try await loop.settle()
          #expect(again.values == ["0 ECANCELED"])
          (source as? UDPSocket)?.close()
        }
      }
    }
  }
}
