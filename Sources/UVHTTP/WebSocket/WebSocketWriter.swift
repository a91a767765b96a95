#if HTTP || Everything
import UV

/// Writes a message of a ``WebSocket`` bit by bit, for a message that isn't known as a whole.
///
/// ```swift
/// let writer = try socket.begin(.binary)
/// for try await part in file { try await writer.write(part).value }
/// try await writer.finish().value
/// ```
///
/// A writer that is dropped before it is finished closes the WebSocket with 1011.
///
/// The source is RFC 6455, 5.4.
public final class WebSocketWriter {
  private let tie: WebSocketTie
  private let isText: Bool
  private var opcode: Opcode
  private var text = TextCheck()
  private var isFinished = false

  private var core: WebSocketCore { tie.core }

  init(_ tie: WebSocketTie, _ kind: WebSocketMessage.Kind) {
    self.tie = tie
    isText = kind == .text
    opcode = isText ? .text : .binary
  }

  deinit {
    if isFinished { return }
    if loop.executor.isOnLoop { giveUp() } else { core.stream.closer.close() }
  }

  /// The loop that the writer belongs to.
  public var loop: EventLoop { tie.core.loop }

  /// Writes a part of the message.
  ///
  /// - Parameter bytes: The bytes; of a text, UTF-8. A character may begin in one part and end in the next.
  /// - Returns: A request that ends and fails as that of ``WebSocket/send(_:)-(WebSocketMessage)``. It also fails with
  ///   `alreadyInProgress` after ``finish()``, and with `invalidArgument` if a text isn't UTF-8. The WebSocket is
  ///   then closed with 1011. Cancelling it ends the waiting.
  public func write(_ bytes: Bytes) -> Request<Void> { Request(of: loop) { [self] in write(bytes, $0) } }

  /// Writes a part of the message; see ``write(_:)``.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    put(bytes, isFinal: false, done)
  }

  /// Ends the message.
  ///
  /// - Returns: A request that ends and fails as that of ``write(_:)``.
  public func finish() -> Request<Void> { Request(of: loop) { [self] in finish($0) } }

  /// Ends the message; see ``finish()``.
  @discardableResult
  public func finish(_ done: @escaping Completion<Void>) -> PendingRequest {
    put(Bytes(), isFinal: true, done)
  }

  private func put(_ bytes: Bytes, isFinal: Bool, _ done: @escaping Completion<Void>) -> PendingRequest {
    loop.requireOnLoop("WebSocketWriter.write")
    if isFinished { return core.fail(.alreadyInProgress, done) }
    if core.phase != .open {
      isFinished = true
      return core.fail(core.endCode, done)
    }
    if isText, !text.accepts(bytes.bytes) || isFinal && !text.isComplete {
      giveUp()
      return core.fail(.invalidArgument, done)
    }
    if !bytes.isEmpty || isFinal {
      core.put(opcode, bytes, isFinal: isFinal)
      opcode = .continuation
    }
    if isFinal {
      isFinished = true
      core.endWriting()
    }
    return core.notify(done)
  }

  private func giveUp() {
    isFinished = true
    core.isWriting = false
    core.beginClose(.internalError)
  }
}
#endif
