#if Everything
import Testing
import UVTLS
import UVTestSupport

@testable import UVHTTP

/// A client of a WebSocket that does what a test says and nothing else.
struct RawPeer {
  let stream: ByteStream

  nonisolated(nonsending) func shakeHands() async throws {
    try await stream.write(Bytes(HandshakeTests.head())).value
    let head = try await stream.read(until: "\r\n\r\n", limit: 1000).value
    #expect("\(head ?? "")".hasPrefix("HTTP/1.1 101 "))
  }

  nonisolated(nonsending) func send(_ frames: Bytes...) async throws(UVError) {
    try await stream.write(frames).value
  }

  /// The next frame, which a server doesn't mask; nil at the end.
  nonisolated(nonsending) func read() async throws -> Received? {
    guard let head = try await stream.read(exactly: 2).value else { return nil }
    var length = Int(head[1])
    #expect(length < 128)
    if length > 125 {
      let bytes = try await stream.read(exactly: length == 126 ? 2 : 8).value
      length = try #require(bytes).reduce(0) { $0 << 8 | Int($1) }
    }
    let payload = length == 0 ? Bytes() : try #require(try await stream.read(exactly: length).value)
    return Received(first: head[0], payload: payload)
  }

  /// Closes, and waits for the server's answer and its end.
  nonisolated(nonsending) func close() async throws {
    try await send(frame(0x88, [0x03, 0xe8]))
    #expect(try await read() == Received(first: 0x88, payload: [0x03, 0xe8]))
    #expect(try await read() == nil)
  }
}

/// A frame that has come.
struct Received: Equatable, CustomStringConvertible {
  let first: UInt8
  let payload: Bytes

  init(first: UInt8, payload: Bytes) { (self.first, self.payload) = (first, payload) }

  /// A close with a code.
  static func close(_ code: UInt16) -> Received {
    Received(first: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xff)])
  }

  var description: String { "\(String(first, radix: 16)) \(Array(payload.prefix(40)))" }

  /// The code of a close.
  var code: Int? { first == 0x88 && payload.count > 1 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
}

enum Transport: CaseIterable { case tcp, tls, pipe }

/// Runs a server that accepts WebSockets over a transport, and a client that has shaken hands. At the end nothing of
/// the server's side is left.
func withSocket(
  limits: WebSocketLimits = WebSocketLimits(), over transport: Transport = .tcp,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ handler: nonisolated(nonsending) @escaping @Sendable (WebSocket) async throws -> Void,
  peer: nonisolated(nonsending) @escaping @Sendable (RawPeer) async throws -> Void
) async throws {
  try await withSockets(limits: limits, over: transport, sourceLocation: sourceLocation, handler) {
    loop, connect in
    let raw = RawPeer(stream: try await connect())
    try await raw.shakeHands()
    try await peer(raw)
    raw.stream.close()
  }
}

/// Runs a server that accepts WebSockets over a transport, each in a task, and a client that connects as often as it
/// wants.
func withSockets(
  limits: WebSocketLimits = WebSocketLimits(), over transport: Transport = .tcp,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ handler: nonisolated(nonsending) @escaping @Sendable (WebSocket) async throws -> Void,
  clients:
    nonisolated(nonsending) @escaping @Sendable (
      EventLoop, nonisolated(nonsending) () async throws -> ByteStream
    ) async throws -> Void
) async throws {
  makeCertificates()
  let certificates = Certificates.shared.directory
  try await withTemporaryDirectory { directory in
    let path = "\(directory)/socket"
    try await withLoop(sourceLocation: sourceLocation) { loop in
      let server: HTTPServer
      var port = 0
      switch transport {
      case .tcp:
        server = try loop.http.listen(host: "127.0.0.1", port: 0)
        port = Int(try server.localAddress().port)
      case .pipe: server = loop.http.serve(try loop.pipes.listen(path: path))
      case .tls:
        let identity = try TLSIdentity(
          certificateChain: "\(certificates)/server.pem", privateKey: "\(certificates)/server.key")
        let listener = try loop.tls.listen(host: "127.0.0.1", port: 0, .server(identity))
        port = Int(try listener.localAddress().port)
        server = loop.http.serve(listener)
      }
      let context = try TLSContext.client(trust: .certificates("\(certificates)/root.pem"))
      let cores = Cores()
      let serving = loop.spawn { () async throws in
        for try await exchange in server {
          loop.spawn {
            do {
              guard let socket = try? await exchange.webSocket(limits: limits).value else { return }
              cores.add(socket.core)
              try await handler(socket)
            } catch { Issue.record(error, sourceLocation: sourceLocation) }
          }
        }
      }
      try await clients(loop) {
        switch transport {
        case .tcp: try await loop.tcp.connect(host: "127.0.0.1", port: port).value
        case .tls: try await loop.tls.connect(host: "127.0.0.1", port: port, context).value
        case .pipe: try await loop.pipes.connect(path: path).value
        }
      }
      server.close()
      try await serving.value
      while cores.isAnyLeft { try await loop.sleep(for: .milliseconds(1)).value }
    }
  }
}

/// The cores of a server, to see that they go.
private final class Cores {
  private struct Entry { weak var core: WebSocketCore? }

  private var entries: [Entry] = []

  func add(_ core: WebSocketCore) { entries.append(Entry(core: core)) }

  var isAnyLeft: Bool { entries.contains { $0.core != nil } }
}
#endif
