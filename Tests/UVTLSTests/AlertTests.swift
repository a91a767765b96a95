import Foundation
import Testing
import UVTLS
import UVTestSupport

/// What the peer hears of an error if the program closes its connection as soon as it hears of it.
@Suite struct AlertTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Peers/alerts.py").path

  /// Reads, writes back, and closes at once when there is an error.
  private static func serve(_ connection: TLSConnection, isTask: Bool) {
    if isTask {
      connection.loop.spawn {
        do { for try await bytes in connection { try await connection.write(bytes).value } } catch {}
        connection.close()
      }
      return
    }
    connection.start { result in
      if case .success(let bytes?) = result { connection.write(bytes) { _ in } } else { connection.close() }
    }
  }

  private static func lines(_ cases: [String: String]) -> (cases: [String], lines: [String]) {
    let all = cases.keys.sorted().flatMap { Array(repeating: $0, count: 5) }
    return (all, all.map { "\($0) \(cases[$0]!)" })
  }

  /// Does the same behind a line in plain text and its answer.
  private static func serveLater(_ stream: ByteStream, _ context: TLSContext, isTask: Bool) {
    let loop = stream.loop
    if isTask {
      loop.spawn {
        do {
          _ = try await stream.readLine(limit: 100).value
          try await stream.write("go\n").value
          serve(try await loop.tls.secure(stream, context).value, isTask: true)
        } catch {}
      }
      return
    }
    stream.readLine(limit: 100) { _ in
      stream.write("go\n") { _ in }
      loop.tls.secure(stream, context) {
        if case .success(let secured) = $0 { serve(secured, isTask: false) }
      }
    }
  }

  @Test(
    "A client hears why it is refused, and what was wrong with a record", arguments: [false, true],
    [false, true])
  func server(isTask: Bool, isLater: Bool) async throws {
    let certificates = Certificates.shared
    let context = try TLSContext.server(
      choosing: { loop, name in
        name == "localhost"
          ? Request(loop) { done in
            done(Result { () throws(UVError) in try certificates.identity() })
            return PendingRequest()
          }
          : Request(loop) { done in
            done(.failure(UVError(.noSuchFile, operation: "choose")))
            return PendingRequest()
          }
      }, protocols: ["a"], clientCertificates: .required(certificates.trust))
    let expected = Self.lines([
      "2:protocol": "no application protocol",
      "3:protocol": "no application protocol",
      "2:stranger": "unknown ca", "3:stranger": "unknown ca",
      "2:nobody": "handshake failure", "3:nobody": "certificate required",
      "2:name": "unrecognized name", "3:name": "unrecognized name",
      "2:record": "bad record mac", "3:record": "bad record mac",
      "2:reply": "bad record mac", "3:reply": "bad record mac",
    ])
    try await withLoop { loop in
      let port: UInt16
      let close: () -> Void
      if isLater {
        let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
        listener.start {
          if case .success(let stream?) = $0 { Self.serveLater(stream, context, isTask: isTask) }
        }
        (port, close) = (try listener.localAddress().port, { listener.close() })
      } else {
        let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context)
        listener.start { if case .success(let connection?) = $0 { Self.serve(connection, isTask: isTask) } }
        (port, close) = (try listener.localAddress().port, { listener.close() })
      }
      let child = try loop.processes.spawn(
        "python3",
        [Self.script, certificates.directory, isLater ? "starttls" : "client", "\(port)"] + expected.cases,
        stdio: [.ignore, .pipe, .inherit])
      let output = try await child.standardOutput!.readToEnd(limit: 1 << 20).value
      #expect("\(output)".split(separator: "\n").map(String.init) == expected.lines)
      #expect(try await child.exit().value.isSuccess)
      close()
    }
  }

  @Test(
    "A server hears why a client doesn't trust it, and what was wrong with a record",
    arguments: [false, true])
  func client(isTask: Bool) async throws {
    let certificates = Certificates.shared
    let context = try certificates.client("client", protocols: ["a"])
    let expected = Self.lines([
      "2:stranger": "unknown ca", "3:stranger": "unknown ca",
      "2:elsewhere": "bad certificate", "3:elsewhere": "bad certificate",
      "2:record": "bad record mac", "3:record": "bad record mac",
      "2:reply": "bad record mac", "3:reply": "bad record mac",
    ])
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        "python3", [Self.script, certificates.directory, "server"] + expected.cases,
        stdio: [.ignore, .pipe, .inherit])
      let line = try await child.standardOutput!.readLine(limit: 100).value
      let port = try #require(line.flatMap { Int("\($0)") })
      for line in expected.lines {
        let stream = try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        let host = line.contains("elsewhere") ? "elsewhere.test" : "localhost"
        if let connection = try? await loop.tls.secure(stream, context, host: host).value {
          Self.serve(connection, isTask: isTask)
        }
        #expect(try await child.standardOutput!.readLine(limit: 100).value == Bytes(line))
      }
      #expect(try await child.exit().value.isSuccess)
    }
  }

  @Test func `The peer is notified before the handlers, which may take long`() async throws {
    let (server, client) = try (Certificates.shared.server(), Certificates.shared.client())
    try await withLoop { loop in
      let (near, proxyNear) = try loop.pipes.socketPair()
      let (far, proxyFar) = try loop.pipes.socketPair()
      // What has been written when the changed record is on its way; nil before.
      var before: Int?
      proxyNear.start { if case .success(let bytes?) = $0 { proxyFar.write(bytes) { _ in } } }
      proxyFar.start { result in
        guard case .success(let bytes?) = result else { return }
        if before != nil { before = loop.statistics.bytesWritten + bytes.count }
        var changed = Array(bytes)
        if before != nil { changed[20] ^= 0x55 }
        proxyNear.write(Bytes(changed)) { _ in }
      }
      let (a, b) = try await handshake(loop, near, far, server, client).get()
      try await a.write("x").value
      #expect(try await b.next().value == "x")
      before = 0
      var notified: Int?
      a.start { result in if case .failure = result { notified = loop.statistics.bytesWritten } }
      b.write(Bytes(repeating: 65, count: 40)) { _ in }
      try await loop.until { notified != nil }
      #expect(notified! > before!)
      for stream in [a, b, proxyNear, proxyFar] { stream.close() }
    }
  }
}
