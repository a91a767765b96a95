import Foundation
import Testing
import UVTLS
import UVTestSupport

/// SwiftNIO with NIOSSL, which has BoringSSL in place of OpenSSL. `bench/peers/setup` builds the program.
@Suite(.enabled(if: NIOPeer.isThere, "there is no bench/peers/.build/nio-peer; see bench/peers/setup"))
struct NIOTests {
  private let certificates = Certificates.shared

  @Test func `A client of NIOSSL speaks with the server, and verifies it`() async throws {
    let (context, root) = (try certificates.server(), certificates.path("root.pem"))
    try await withLoop { loop in
      let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, context)
      let port = try listener.localAddress().port
      let child = try loop.processes.spawn(
        NIOPeer.program, ["client", "tls-echo", "identity=\(root)", "port=\(port)"],
        stdio: [.ignore, .pipe, .inherit])
      let connection = try await listener.accept().value
      let line = try await connection.readLine(limit: 100).value
      #expect(line == "from SwiftNIO")
      try await connection.write(["you said ", line ?? "", "\n"]).value
      #expect(try await child.standardOutput!.readLine(limit: 1000).value == "you said from SwiftNIO")
      // Its sign of the end.
      #expect(try await connection.next().value == nil)
      connection.close()
      #expect(try await child.exit().value.isSuccess)
      listener.close()
    }
  }

  @Test func `The client speaks with a server of NIOSSL, and resumes its session`() async throws {
    let client = try certificates.client()
    let identity = certificates.path("nio.pem")
    let parts = try ["server.pem", "server.key"].map {
      try Data(contentsOf: URL(fileURLWithPath: certificates.path($0)))
    }
    try (parts[0] + parts[1]).write(to: URL(fileURLWithPath: identity))
    let message = Bytes((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) })
    try await withLoop { loop in
      let child = try loop.processes.spawn(
        NIOPeer.program, ["handler", "tls-echo", "identity=\(identity)"], stdio: [.pipe, .pipe, .inherit])
      let line = try await child.standardOutput!.readLine(limit: 100).value
      let port = try #require(line.flatMap { Int(String(decoding: $0, as: UTF8.self)) })
      for isSecond in [false, true] {
        let connection = try await loop.tls.connect(host: "localhost", port: port, client).value
        connection.write(message) { _ in }
        #expect(try await connection.read(exactly: message.count).value == message)
        #expect(connection.protocolVersion == .tls13)
        #expect(connection.isResumed == isSecond)
        try await connection.shutdown().value
        #expect(try await connection.next().value == nil)
        connection.close()
      }
      try await child.standardInput!.shutdown().value
      #expect(try await child.exit().value.isSuccess)
    }
  }
}

private enum NIOPeer {
  static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../bench/peers/.build/nio-peer").standardized.path
  /// A program that was built before it spoke TLS doesn't count.
  static let isThere =
    (try? Data(contentsOf: URL(fileURLWithPath: program)))?.range(of: Data("NIOSSLServerHandler".utf8)) != nil
}
