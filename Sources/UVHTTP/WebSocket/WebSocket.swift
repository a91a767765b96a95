#if HTTP || Everything
import UV

/// A WebSocket: a source of the peer's messages, and the way to send messages. Use it on its loop's thread.
///
/// ```swift
/// for try await message in socket {
///   guard case .text(let text) = message else { continue }
///   try await socket.send("you said: \(text)").value
/// }
/// ```
///
/// A server gets one from ``HTTPExchange/webSocket(protocols:headerFields:limits:)``, and a client from
/// ``HTTPClient/webSocket(_:protocols:headerFields:limits:)``. <doc:WebSockets> shows both.
///
/// The source ends with nil when the peer has closed, whatever its reason: ``peerClose``. It fails with
/// `endOfFile` if the connection ends without that, `protocolError` if the peer breaks the protocol or sends a text
/// that isn't UTF-8, `messageTooLong` beyond a limit of ``WebSocketLimits``, `timedOut`, and the errors of a
/// read. The peer gets a close code.
///
/// Pings are answered, and the peer's end is seen, also while nobody asks, until a message has come. The peer then
/// has to wait until the program asks for it. Extensions, such as the compression `permessage-deflate`, aren't
/// spoken.
///
/// When the loop that has accepted the connection shuts down gracefully, the peer gets 1001 as soon as the
/// program waits for a message. A server's WebSocket that is dropped before it is closed, for example by a function that
/// throws, closes with 1011, and a client's with 1001. On another thread its connection just ends.
///
/// The source is RFC 6455.
public final class WebSocket: _SentSource<WebSocketMessage> {
  let core: WebSocketCore
  private let tie: WebSocketTie

  /// The subprotocol that was agreed on; nil if none was.
  public let subprotocol: String?

  init(_ core: WebSocketCore, _ subprotocol: String?) {
    let tie = WebSocketTie(core)
    (self.core, self.tie, self.subprotocol) = (core, tie, subprotocol)
    let source = CustomSource<WebSocketMessage>(core.loop, "webSocket") {
      tie.core.resume($0)
    } pause: { _ in
      tie.core.pause()
    }
    source.didDeliverAll = { tie.core.closeIfQuiescing() }
    super.init(source)
  }

  /// The code and reason with which the peer has closed; nil while it hasn't.
  public var peerClose: WebSocketClose? { core.peerClose }

  /// The address of the peer.
  ///
  /// - Throws: `badDescriptor` if the connection is closed, `notConnected` if the peer has gone, and
  ///   `notSupported` if the connection isn't TCP.
  ///
  /// The corresponding libuv function is `uv_tcp_getpeername`.
  public func peerAddress() throws(UVError) -> SocketAddress { try core.stream.peerTCPAddress() }

  /// Whether more than 64 KiB wait for the peer, or for the end of a message that is written bit by bit.
  ///
  /// A program that awaits each message that it sends needn't look. One that sends to many peers without waiting
  /// leaves out those that are too slow, or closes them. Otherwise what waits for them has no limit but
  /// time.
  ///
  /// See `ByteStream.isAboveHighWaterMark`.
  public var isAboveHighWaterMark: Bool { core.isAboveMark }

  /// Sends a message.
  ///
  /// - Parameter message: The message. A string literal is text.
  /// - Returns: A request that ends when the message is on its way, and no more than 64 KiB wait for the peer. It
  ///   fails with `brokenPipe` once this side or the peer has closed, and otherwise with the error that ended the
  ///   connection. Cancelling it ends the waiting; the message leaves all the same, unless it waits for the
  ///   end of one that is written bit by bit.
  public func send(_ message: WebSocketMessage) -> Request<Void> {
    Request(of: loop) { [self] in send(message, $0) }
  }

  /// Sends a message; see ``send(_:)-(WebSocketMessage)``.
  @discardableResult
  public func send(_ message: WebSocketMessage, _ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("WebSocket.send")
    return core.send(.single(message), done)
  }

  /// Begins a message that is written bit by bit, each part as a frame of its own.
  ///
  /// - Parameter kind: Whether it is a text.
  /// - Returns: The writer of the message, which has to be finished. Messages that are sent meanwhile wait for
  ///   that.
  /// - Throws: `alreadyInProgress` if another message is written so, and the errors of ``send(_:)-(WebSocketMessage)``.
  ///
  /// The source is RFC 6455, 5.4.
  public func begin(_ kind: WebSocketMessage.Kind) throws(UVError) -> WebSocketWriter {
    loop.requireOnLoop("WebSocket.begin")
    if core.phase != .open { throw UVError(core.endCode, operation: "webSocket") }
    if core.isWriting { throw UVError(.alreadyInProgress, operation: "webSocket") }
    core.isWriting = true
    return WebSocketWriter(tie, kind)
  }

  /// Sends a ping, and waits for the peer's answer.
  ///
  /// ``WebSocketLimits/keepAlive`` does this by itself after a silence.
  ///
  /// - Parameter data: What the peer is to send back, 125 bytes at most.
  /// - Returns: A request that ends when the answer has come. It fails with `invalidArgument` if there are more
  ///   bytes, and with the errors of ``send(_:)-(WebSocketMessage)``. Cancelling it ends the waiting.
  ///
  /// The source is RFC 6455, 5.5.2.
  public func ping(_ data: Bytes = Bytes()) -> Request<Void> {
    Request(of: loop) { [self] in ping(data, $0) }
  }

  /// Sends a ping; see ``ping(_:)``.
  ///
  /// The source is RFC 6455, 5.5.2.
  @discardableResult
  public func ping(_ data: Bytes = Bytes(), _ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("WebSocket.ping")
    return core.ping(data, done)
  }

  /// Closes the WebSocket: notifies the peer behind what was sent, waits for its answer, and ends the connection.
  ///
  /// Messages that come until the peer answers are delivered if somebody asks, and are dropped otherwise.
  /// Closing starts at once, even if you ignore the request. Calling this function again waits for the same end.
  ///
  /// - Parameters:
  ///   - code: Why.
  ///   - reason: A reason for people, 123 bytes of UTF-8 at most.
  /// - Returns: A request that ends when the connection is closed. It fails with `invalidArgument` if the code
  ///   can't be sent or the reason is too long, and nothing is closed then; with `timedOut` if the peer doesn't answer
  ///   within ``WebSocketLimits/closeTimeout``; and with the error that ended the connection before it did.
  ///   Cancelling it ends the waiting.
  ///
  /// The source is RFC 6455, 7.1.2.
  @discardableResult
  public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") -> Request<Void> {
    loop.requireOnLoop("WebSocket.close")
    if WebSocketCore.maySend(code, reason) { core.beginClose(code, reason) }
    return Request(of: loop) { [self] in close(code, reason: reason, $0) }
  }

  /// Closes the WebSocket; see ``close(_:reason:)``.
  ///
  /// The source is RFC 6455, 7.1.2.
  @discardableResult
  public func close(
    _ code: WebSocketCloseCode = .normal, reason: String = "", _ done: @escaping Completion<Void>
  ) -> PendingRequest {
    loop.requireOnLoop("WebSocket.close")
    return core.close(code, reason, done)
  }
}

/// Notifies a WebSocket's core when its last owner goes. Its source has this, and so do its writers.
final class WebSocketTie {
  let core: WebSocketCore

  init(_ core: WebSocketCore) { self.core = core }

  // Elsewhere than on the loop's thread the core can't be touched.
  deinit {
    if core.loop.executor.isOnLoop { core.abandon() } else { core.stream.closer.close() }
  }
}
#endif
