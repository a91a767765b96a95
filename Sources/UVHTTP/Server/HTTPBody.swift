import HTTPTypes
import UV

/// The object that reads a body from a connection.
protocol BodyReader: AnyObject {
  var loop: EventLoop { get }

  /// - Parameter isWanted: Whether somebody asks for bytes.
  func wantBody(_ isWanted: Bool)
}

/// The body of a message: a source of bytes. It reads from the peer only while somebody asks, so the peer has
/// to wait for a program that reads slowly.
///
/// ```swift
/// let text = try await exchange.body.readToEnd(limit: 64 * 1024).value  // all of it, or
/// for try await part in exchange.body { try await file.write(part).value }
/// ```
///
/// The body ends with nil once all of it has come. It fails with `endOfFile` if the peer has ended the
/// connection before, `messageTooLong` if it is longer than ``HTTPLimits/body``, `invalidArgument` if it isn't
/// framed as RFC 9112 says, `timedOut`, `cancelled` once the exchange is over, and the errors of a read.
///
/// libuv has no corresponding type. RFC 9112, 6 and 7, say how a body is sent.
public final class HTTPBody: ReadableSource<Bytes> {
  /// The fields after a chunked body, once that has ended; none before.
  public internal(set) var trailers: HTTPFields = [:]

  /// How many bytes the peer says that there will be, so that memory needn't grow; 0 if it doesn't.
  var expectedCount = 0

  /// Whether ``readToEnd(limit:)`` has found more than its limit.
  private(set) var isTooLong = false

  /// All of a body that has come already, until somebody asks for it.
  private final class Whole { var bytes: Bytes? }

  private let whole: Whole?

  init(_ reader: some BodyReader) {
    whole = nil
    super.init(
      CustomSource(reader.loop, "read") { _ in
        reader.wantBody(true)
      } pause: { _ in
        reader.wantBody(false)
      })
  }

  /// A body that has come as a whole.
  init(_ loop: EventLoop, _ bytes: Bytes) {
    let whole = Whole()
    whole.bytes = bytes
    self.whole = whole
    super.init(loop) {
      CustomSource(loop, "read") { source in
        if let bytes = whole.bytes.take(), !bytes.isEmpty { source.send(bytes) }
        source.finish()
      }
    }
  }

  /// A body of which no bytes come any more.
  init(ended loop: EventLoop, _ error: UVError? = nil) {
    whole = nil
    super.init(CustomSource(loop, "read") { _ in })
    finish(error)
  }

  /// Reads the rest of the body.
  ///
  /// - Parameter limit: The most bytes that there may be.
  /// - Returns: A request for the bytes. It fails with `messageTooLong` if there are more, and with the errors
  ///   of the body. Cancelling it leaves the bytes that it hasn't read.
  ///
  /// libuv has no corresponding function.
  public func readToEnd(limit: Int) -> Request<Bytes> {
    Request(loop, operation: "read") { [self] in readToEnd(limit: limit, $0) }
  }

  /// Reads the rest of the body; see ``readToEnd(limit:)``.
  ///
  /// libuv has no corresponding function.
  @discardableResult
  public func readToEnd(limit: Int, _ done: @escaping Completion<Bytes>) -> PendingRequest {
    if let bytes = whole?.bytes.take() {
      isTooLong = bytes.count > limit
      let result = isTooLong ? .failure(Self.tooLong(limit)) : Result<Bytes, UVError>.success(bytes)
      loop.queueMicrotask { done(result) }
      return PendingRequest()
    }
    // A short body comes in one part, which needn't be copied.
    var first = Bytes()
    var whole = BytesBuilder()
    var pending = PendingRequest()
    func readOn() {
      pending = next { [self] result in
        switch result {
        case .success(let part?):
          if Swift.max(first.count, whole.count) + part.count > limit {
            isTooLong = true
            return done(.failure(Self.tooLong(limit)))
          }
          if first.isEmpty {
            first = part
          } else {
            if whole.isEmpty {
              let count = Swift.max(expectedCount, first.count + part.count)
              // A peer's word is worth no more memory than this.
              whole.reserveCapacity(Swift.min(count, limit, 1 << 20))
              whole.append(first)
            }
            whole.append(part)
          }
          readOn()
        case .success(nil): done(.success(whole.isEmpty ? first : whole.takeBytes()))
        case .failure(let error): done(.failure(error))
        }
      }
    }
    readOn()
    return PendingRequest { pending.cancel() }
  }

  private static func tooLong(_ limit: Int) -> UVError {
    UVError(.messageTooLong, operation: "read", subject: "limit \(limit)")
  }

  func send(_ bytes: Bytes) { source.send(bytes) }

  func finish(_ error: UVError? = nil) { source.finish(error) }
}
