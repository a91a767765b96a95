import Testing
import UVTLS
import UVTestSupport

/// Two ends of a TLS connection through a pipe, closed after `body`.
func withTLS(
  server: (@Sendable () throws -> TLSContext)? = nil, client: (@Sendable () throws -> TLSContext)? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body:
    nonisolated(nonsending) @escaping @Sendable (EventLoop, TLSConnection, TLSConnection) async throws -> Void
) async throws {
  let certificates = Certificates.shared
  let server = try server?() ?? certificates.server()
  let client = try client?() ?? certificates.client()
  try await withLoop(sourceLocation: sourceLocation) { loop in
    let (near, far) = try await handshake(loop, server, client).get()
    try await body(loop, near, far)
    near.close()
    far.close()
  }
}

/// Does a handshake through a pipe, and returns the server's end and the client's.
nonisolated(nonsending) func handshake(
  _ loop: EventLoop, _ server: TLSContext, _ client: TLSContext, host: String = "localhost"
) async throws -> Result<(TLSConnection, TLSConnection), UVError> {
  let (near, far) = try loop.pipes.socketPair()
  return await handshake(loop, near, far, server, client, host: host)
}

/// Does a handshake through any two ends. The error is the client's, if it has one.
nonisolated(nonsending) func handshake(
  _ loop: EventLoop, _ near: ByteStream, _ far: ByteStream, _ server: TLSContext, _ client: TLSContext,
  host: String = "localhost"
) async -> Result<(TLSConnection, TLSConnection), UVError> {
  let accepted = loop.spawn { () async throws(UVError) in try await loop.tls.secure(near, server).value }
  let connected: Result<TLSConnection, UVError>
  do throws(UVError) {
    connected = .success(try await loop.tls.secure(far, client, host: host).value)
  } catch { connected = .failure(error) }
  do throws(UVError) {
    let server = try await accepted.value
    switch connected {
    case .success(let client): return .success((server, client))
    case .failure(let error):
      server.close()
      return .failure(error)
    }
  } catch {
    if case .failure(let first) = connected { return .failure(first) }
    connected.value?.close()
    return .failure(error)
  }
}

/// The whole first message of a client.
nonisolated(nonsending) func firstMessage(_ loop: EventLoop, _ client: TLSContext) async throws -> Bytes {
  let (near, far) = try loop.pipes.socketPair()
  let request = loop.tls.secure(far, client, host: "localhost") { _ in }
  let message = try #require(try await near.next().value)
  request.cancel()
  near.close()
  return message
}

/// Does a handshake, has the client read something, since the tickets of TLS 1.3 come after it, and returns whether the
/// session was resumed. `body` looks at the server's end and the client's.
nonisolated(nonsending) func resumes(
  _ loop: EventLoop, _ server: TLSContext, _ client: TLSContext,
  _ body: (TLSConnection, TLSConnection) throws -> Void = { _, _ in }
) async throws -> Bool {
  let (near, far) = try await handshake(loop, server, client).get()
  try await near.write("x").value
  #expect(try await far.next().value == "x")
  #expect(near.isResumed == far.isResumed)
  try body(near, far)
  near.close()
  far.close()
  return far.isResumed
}
