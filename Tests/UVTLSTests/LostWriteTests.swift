import Foundation
import Testing
import UVTLS
import UVTestSupport

/// Writes that wait behind something that fails.
@Suite struct LostWriteTests {
  @Test(
    "What was written after a file that can't be sent fails with it, and so do the drain and the shutdown")
  func behindAFile() async throws {
    let path = Certificates.shared.path("lost")
    try Data(repeating: 7, count: 8 << 20).write(to: URL(fileURLWithPath: path))
    try await withTLS { loop, server, client in
      let file = try await loop.files.open(path).value
      let log = Log<String>()
      func note<T>(_ name: String) -> Completion<T> { { log.append("\(name) \($0.error?.name ?? "ok")") } }
      client.sendfile(file, count: 8 << 20, note("file"))
      client.write("after", note("write"))
      client.drain(note("drain"))
      client.shutdown(note("shutdown"))
      #expect(try await server.read(exactly: 100_000).value?.count == 100_000)
      server.close()
      try await loop.until { log.values.count == 4 }
      #expect(log.values.filter { $0.hasSuffix("ok") } == [])
      try await file.close().value
    }
  }

  @Test("Writes that wait when the peer breaks the protocol fail, though what is under way leaves")
  func behindAnAlert() async throws {
    try await withRawPeer { loop, connection, _, peer in
      let log = Log<String>()
      connection.write(Bytes(repeating: 1, count: 8 << 20)) { log.append("much \($0.error?.name ?? "ok")") }
      try await loop.until { connection.writeQueueSize > 0 }
      connection.write("after") { log.append("after \($0.error?.name ?? "ok")") }
      try await peer.write(Bytes(repeating: 0x78, count: 100)).value
      await expectFailure(.tls) { () async throws(UVError) in _ = try await connection.next().value }
      // The peer takes what the system has, so that the rest of what was sealed leaves.
      peer.start { _ in }
      try await loop.until { log.values.count == 2 }
      #expect(log.values.filter { $0.hasSuffix("ok") } == [])
    }
  }

  @Test(
    "A peer that breaks the protocol while it is sent something gets the alert behind what is under way",
    arguments: [false, true])
  func alert(isFile: Bool) async throws {
    let path = Certificates.shared.path("alert")
    try Data("file".utf8).write(to: URL(fileURLWithPath: path))
    try await withRawPeer { loop, connection, other, peer in
      let file = try await loop.files.open(path).value
      try await withBusyPool(of: loop) {
        if isFile {
          connection.sendfile(file, count: 4) { _ in }
        } else {
          connection.write(Bytes(repeating: 1, count: 8 << 20)) { _ in }
          try await loop.until { connection.writeQueueSize > 0 }
        }
        try await peer.write(Bytes(repeating: 0x78, count: 100)).value
        await expectFailure(.tls) { () async throws(UVError) in _ = try await connection.next().value }
      }
      other.readTimeout = .seconds(5)
      await expectFailure(.tls) { () async throws(UVError) in while try await other.next().value != nil {} }
      try await file.close().value
    }
  }

  /// Has a connection with TLS, and `peer` say beside its other end what is no TLS.
  private func withRawPeer(
    _ body:
      nonisolated(nonsending) @escaping @Sendable (
        _ loop: EventLoop, _ connection: ByteStream, _ other: ByteStream, _ peer: ByteStream
      ) async throws -> Void
  ) async throws {
    let certificates = Certificates.shared
    let (server, client) = try (certificates.server(), certificates.client())
    try await withLoop { loop in
      let (near, far) = try loop.pipes.socketPair()
      let peer = try loop.pipes.open(fileDescriptor: dup(far.fileDescriptor()))
      let (connection, other) = try await handshake(loop, near, far, server, client).get()
      try await body(loop, connection, other, peer)
      for stream in [connection, other, peer] { stream.close() }
    }
  }
}
