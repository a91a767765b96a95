import ArgumentParser
import Foundation
import UV

/// Connections to other servers, whose bytes are passed on whatever they mean.
///
/// Each side may end what it sends and go on reading, as TCP allows. If one side doesn't read, the other has
/// to wait: a chunk is read only when the one before it has been written.
struct Tunnels {
  let limit: Int
  let connectTimeout: Duration
  let idleTimeout: Duration
  let lifetime: Duration
  let farewell: Duration

  func connect(to target: Target, _ loop: EventLoop) async throws(UVError) -> TCPConnection {
    try await loop.tcp.connect(host: target.host, port: target.port).timeout(after: connectTimeout).value
  }

  /// Passes on what each side sends, until both have ended.
  func join(_ client: ByteStream, _ server: ByteStream) async throws {
    // The bytes of the one are written to the other, so both are silent or neither is.
    for side in [client, server] { (side.idleTimeout, side.totalTimeout) = (idleTimeout, lifetime) }
    client.quiescing { result in
      guard case .success = result else { return }
      for side in [client, server] { side.idleTimeout = farewell }
    }
    try await client.loop.withTasks { tasks in
      tasks.spawn { try await copy(from: client, to: server) }
      tasks.spawn { try await copy(from: server, to: client) }
    }
  }

  /// Copies what one side sends, and then its end. The other direction goes on.
  private func copy(from source: ByteStream, to target: ByteStream) async throws(UVError) {
    for try await chunk in source { try await target.write(chunk).value }
    try await target.shutdown().value
  }
}

/// `HOST:PORT`.
struct Target: ExpressibleByArgument {
  let host: String
  let port: Int

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), let port = Int(argument[argument.index(after: colon)...]),
      1...65535 ~= port, colon > argument.startIndex
    else { return nil }
    // An IPv6 address may be in brackets.
    host = argument[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
  }
}
