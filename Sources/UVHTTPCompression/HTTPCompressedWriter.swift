#if HTTP || Everything
import UVHTTP

/// Writes the body of an answer bit by bit, compressed if the client accepts that.
///
/// ```swift
/// let writer = try exchange.begin(head, compression: HTTPCompression())
/// for try await line in lines { try await writer.write(line).value }
/// try await writer.finish().value
/// ```
///
/// zlib collects bytes to compress more of them at a time. ``flush()`` sends what it has, for a client that
/// waits for each event. Bytes are compressed on the loop's thread, about 45 ms for a mebibyte at level 6, so
/// write parts of 64 KiB at most. A writer takes about 260 KiB of memory while it lives, if it compresses.
public final class HTTPCompressedWriter {
  private let writer: HTTPResponseWriter
  /// Nil if the body is sent as it is or not at all, and after the end.
  private var deflater: Deflater?

  init(_ writer: HTTPResponseWriter, _ deflater: Deflater?, isCompressing: Bool) {
    (self.writer, self.deflater, self.isCompressing) = (writer, deflater, isCompressing)
  }

  /// Whether the body is sent compressed.
  public let isCompressing: Bool

  /// The loop that the writer belongs to.
  public var loop: EventLoop { writer.loop }

  /// Writes bytes of the body.
  ///
  /// - Parameter bytes: The bytes as they are.
  /// - Returns: A request that ends when those are on their way that zlib doesn't keep. It fails as that of
  ///   `HTTPResponseWriter.write(_:)` does.
  public func write(_ bytes: Bytes) -> Request<Void> { Request(of: loop) { [self] in write(bytes, $0) } }

  /// Writes bytes of the body; see ``write(_:)``.
  @discardableResult
  public func write(_ bytes: Bytes, _ done: @escaping Completion<Void>) -> PendingRequest {
    writer.write(bytes.isEmpty ? bytes : compressed(bytes, .none), done)
  }

  /// Sends what was written until now, so that the client can read it. Each call makes the body a little longer.
  ///
  /// - Returns: A request that ends when all bytes are on their way. It fails as that of ``write(_:)`` does.
  public func flush() -> Request<Void> { Request(of: loop) { [self] in flush($0) } }

  /// Sends what was written until now; see ``flush()``.
  @discardableResult
  public func flush(_ done: @escaping Completion<Void>) -> PendingRequest {
    writer.write(compressed(Bytes(), .sync), done)
  }

  /// Ends the answer.
  ///
  /// - Parameter trailers: Fields after a chunked body. Clients without chunks don't get them.
  /// - Returns: A request that ends when the whole answer is on its way. It fails as that of ``write(_:)``
  ///   does.
  public func finish(_ trailers: HTTPFields = [:]) -> Request<Void> {
    Request(of: loop) { [self] in finish(trailers, $0) }
  }

  /// Ends the answer; see ``finish(_:)``.
  @discardableResult
  public func finish(_ trailers: HTTPFields = [:], _ done: @escaping Completion<Void>) -> PendingRequest {
    let rest = compressed(Bytes(), .finish)
    deflater = nil
    // If this write fails, so does the end.
    if !rest.isEmpty { writer.write(rest) { _ in } }
    return writer.finish(trailers, done)
  }

  private func compressed(_ bytes: Bytes, _ flush: Deflater.Flush) -> Bytes {
    guard let deflater else { return bytes }
    var output = BytesBuilder()
    deflater.compress(bytes, flush, into: &output)
    return output.takeBytes()
  }
}
#endif
