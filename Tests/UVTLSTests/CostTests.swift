import COpenSSL
import Foundation
import Testing
import UVTLS
import UVTestSupport

/// What connections cost that do nothing, or that want to cost much.
@Suite struct CostTests {
  private let certificates = Certificates.shared

  @Test func `An idle connection costs at most 30 KiB`() async throws {
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      var connections: [TLSConnection] = []
      func connect() async throws {
        let (near, far) = try await handshake(loop, server, client).get()
        try await near.write("x").value
        _ = try await far.next().value
        try await far.write("x").value
        _ = try await near.next().value
        connections += [near, far]
      }
      for _ in 0..<10 { try await connect() }
      let before = Hooks.heapInUse ?? 0
      for _ in 0..<50 { try await connect() }
      let each = ((Hooks.heapInUse ?? 0) - before) / 100
      print("an idle TLS connection: \(each) bytes")
      #expect(each <= 30 * 1024)
      for connection in connections { connection.close() }
    }
  }

  @Test("A peer that asks for new keys for ever is cut off, and others are served meanwhile")
  func endlessKeyUpdates() async throws {
    try await withTLS { loop, server, client in
      let log = Log<UVError>()
      server.start { if case .failure(let error) = $0 { log.append(error) } }
      var rounds = 0
      while log.values.isEmpty, rounds < 200 {
        rounds += 1
        for _ in 0..<200 {
          _ = SSL_key_update(client.raw, SSL_KEY_UPDATE_REQUESTED)
          _ = SSL_do_handshake(client.raw)
        }
        client.flushFilter()
        try await loop.sleep(for: .zero).value
      }
      #expect(log.values.first?.code == .tls)
      #expect(log.values.first?.message.contains("carry nothing") == true)
      #expect(rounds > 20)
      // OpenSSL itself knows nothing of that, and would go on.
      await expectError(.tls, of: try await server.write("after it").value)
    }
  }

  @Test func `New keys are agreed on in both directions, in silence`() async throws {
    try await withTLS { loop, server, client in
      for round in 0..<20 {
        let side = round % 2 == 0 ? client : server
        let other = round % 2 == 0 ? server : client
        _ = SSL_key_update(side.raw, SSL_KEY_UPDATE_REQUESTED)
        try await side.write("new keys").value
        #expect(try await other.read(exactly: 8).value == "new keys")
        try await other.write("agreed").value
        #expect(try await side.read(exactly: 6).value == "agreed")
      }
    }
  }

  @Test func `OpenSSL's queue of errors is empty after each failure`() async throws {
    try await withLoop { loop in
      let (server, client) = try (certificates.server("expired"), certificates.client())
      guard case .failure = try await handshake(loop, server, client) else {
        Issue.record("connected")
        return
      }
      #expect(ERR_peek_error() == 0)
      #expect(throws: UVError.self) { try TLSIdentity(pemCertificateChain: "x", pemPrivateKey: "y") }
      #expect(ERR_peek_error() == 0)
    }
  }

  /// How a handshake comes to nothing.
  enum Failure: CaseIterable { case refused, cut, cancelled }

  @Test("Handshakes that come to nothing leave no memory behind", arguments: Failure.allCases, [false, true])
  func noLeaks(failure: Failure, onThreadPool: Bool) async throws {
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let server = try certificates.server(options: options)
    let client = try TLSContext.client(
      trust: failure == .refused ? .system : certificates.trust, options: options)
    try await withLoop { loop in
      // Threads of the pool keep some of what they free for themselves. A connection that stayed would be
      // more.
      try await expectFlatHeap(rounds: 200, limit: onThreadPool ? 524_288 : 65_536) { round in
        let log = Log<Bool>()
        let (near, far) = try loop.pipes.socketPair()
        func note(_ result: Result<TLSConnection, UVError>) {
          result.value?.close()
          log.append(result.error == nil)
        }
        loop.tls.secure(near, server, note)
        let pending = loop.tls.secure(far, client, host: "localhost", note)
        for _ in 0..<round % 5 { try await loop.sleep(for: .zero).value }
        switch failure {
        case .refused: break
        case .cut:
          for handle in loop.handles {
            if handle.type == .pipe, let descriptor = handle.fileDescriptor {
              Foundation.shutdown(descriptor, 2)
            }
          }
        case .cancelled: pending.cancel()
        }
        while log.values.count < 2 { try await loop.sleep(for: .zero).value }
        // What is still closing would count.
        while loop.handles.contains(where: { $0.type == .pipe }) { try await loop.sleep(for: .zero).value }
      }
    }
  }

  /// How a connect ends.
  enum Ending: CaseIterable { case connected, refused, distrusted, cancelled }

  @Test(
    "A connect that has ended keeps neither its caller nor its connection, though the pending request is kept",
    arguments: Ending.allCases, [false, true])
  func endedConnect(ending: Ending, onThreadPool: Bool) async throws {
    final class Caller {}
    var options = TLSOptions()
    options.handshakesOnThreadPool = onThreadPool
    let server = try certificates.server(options: options)
    let client = try TLSContext.client(
      trust: ending == .distrusted ? .system : certificates.trust, options: options)
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, server)
      let port = try Int(listener.localAddress().port)
      if ending == .refused { try await listener.close().value } else { listener.start { _ in } }
      weak var caller: Caller?
      weak var connection: TLSConnection?
      let log = Log<UVError.Code?>()
      func connect() -> PendingRequest {
        let new = Caller()
        caller = new
        return loop.tls.connect(host: "127.0.0.1", port: port, client) { [new] result in
          _ = new
          connection = result.value
          log.append(result.error?.code)
        }
      }
      let pending = connect()
      if ending == .cancelled { pending.cancel() }
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      let codes: [Ending: UVError.Code] = [
        .refused: .connectionRefused, .distrusted: .tls, .cancelled: .cancelled,
      ]
      #expect(log.values == [codes[ending]])
      #expect(caller == nil)
      #expect(connection == nil)
      pending.cancel()
      listener.close()
    }
  }

  @Test func `A file is sent through the connection, and what is written meanwhile follows`() async throws {
    let path = certificates.path("file")
    let bytes = Bytes((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ $0 >> 7) })
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try await withTLS { loop, server, client in
      let file = try await loop.files.open(path).value
      let before = loop.statistics.bytesWritten
      let sending = loop.spawn { () async throws(UVError) in
        try await client.write("header\n").value
        return try await client.sendfile(file, count: 1 << 20).value
      }
      #expect(try await server.readLine(limit: 10).value == "header")
      client.write("footer") { _ in }
      #expect(try await server.read(exactly: bytes.count).value == bytes)
      #expect(try await sending.value == bytes.count)
      // Those that had to wait for the peer count, too.
      #expect(loop.statistics.bytesWritten - before > bytes.count)
      #expect(try await server.read(exactly: 6).value == "footer")
      // From the middle, cancelled, and with a file that is closed.
      #expect(try await client.sendfile(file, from: 699_990, count: 100).value == 10)
      #expect(try await server.read(exactly: 10).value == Bytes(bytes.suffix(10)))
      let log = Log<UVError.Code?>()
      client.sendfile(file, count: 1 << 20) { log.append($0.error?.code) }.cancel()
      while log.values.isEmpty { try await loop.sleep(for: .zero).value }
      #expect(log.values == [.cancelled])
      try await file.close().value
      await expectError(.badDescriptor, of: try await client.sendfile(file, count: 1).value)
    }
  }

  @Test("A connection that has sent a file closes when it is dropped, though the pending request is kept")
  func keptSendfile() async throws {
    let path = certificates.path("sent")
    try Data("file".utf8).write(to: URL(fileURLWithPath: path))
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let file = try await loop.files.open(path).value
      let log = Log<Int?>()
      nonisolated(nonsending) func send() async throws -> (PendingRequest, TLSConnection) {
        let (near, far) = try await handshake(loop, server, client).get()
        return (near.sendfile(file, count: 4) { log.append($0.value) }, far)
      }
      let (pending, far) = try await send()
      #expect(try await far.read(exactly: 4).value == "file")
      #expect(try await far.next().timeout(after: .seconds(10)).value == nil)
      #expect(log.values == [4])
      pending.cancel()
      far.close()
    }
  }
}
