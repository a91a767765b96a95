import UV
import UVTLS
import UVTestSupport

/// The end of a connection that is tested, before a loop has it.
struct NearEnd: Sendable {
  private let transport: Combination.Transport
  private let descriptor: Int32
  private let context: TLSContext

  /// A connection, and its other end, which has begun.
  ///
  /// - Parameter context: The server's, for TLS.
  static func connected(_ transport: Combination.Transport, _ context: TLSContext) -> (NearEnd, Peer) {
    let sockets = transport.isPipe ? Sockets.pipe() : .tcp()
    let peer = Peer(sockets.far, transport.speech)
    peer.start()
    return (NearEnd(transport: transport, descriptor: sockets.near, context: context), peer)
  }

  nonisolated(nonsending) func open(_ loop: EventLoop) async throws -> ByteStream {
    let plain: ByteStream =
      transport.isPipe
      ? try loop.pipes.open(fileDescriptor: descriptor) : try loop.tcp.open(fileDescriptor: descriptor)
    guard transport.isTLS else { return plain }
    if transport == .startTLS {
      let line = try await plain.readLine(limit: 100).value
      precondition(line.map { "\($0)\n" } == Peer.line && plain.unreadByteCount > 0, "nothing was read ahead")
    }
    return try await loop.tls.secure(plain, context).value
  }
}
