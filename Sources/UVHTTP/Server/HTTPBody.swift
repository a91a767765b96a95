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

  /// Whether ``readToEnd(limit:)`` has found more than its limit.
  private(set) var isTooLong = false

  init(_ reader: some BodyReader) {
    super.init(
      CustomSource(reader.loop, "read") { _ in
        reader.wantBody(true)
      } pause: { _ in
        reader.wantBody(false)
      })
  }

  /// A body of which no bytes come any more.
  init(ended loop: EventLoop, _ error: UVError? = nil) {
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
            return done(.failure(UVError(.messageTooLong, operation: "read", subject: "limit \(limit)")))
          }
          if first.isEmpty {
            first = part
          } else {
            if whole.isEmpty { whole.append(first) }
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

  func send(_ bytes: Bytes) { source.send(bytes) }

  func finish(_ error: UVError? = nil) { source.finish(error) }
}
