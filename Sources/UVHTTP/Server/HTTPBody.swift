#if HTTP || Everything
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
/// RFC 9112, 6 and 7, say how a body is sent.
public final class HTTPBody: _SentSource<Bytes> {
  /// The fields after a chunked body, once that has ended; none before.
  public var trailers: HTTPFields { trailer ?? original?.trailers ?? [:] }

  // Empty fields take a hundred instructions.
  var trailer: HTTPFields?

  /// How many bytes the peer says that there will be, so that memory needn't grow; 0 if it doesn't.
  var expectedCount = 0

  /// Why the program can't use the body: it is longer than a limit, or can't be restored.
  private(set) var refusal: Refusal?

  /// The compressed body that this one is restored from.
  private var original: HTTPBody?

  /// All of a body that has come already, until somebody asks for it.
  @exclusivity(unchecked) private var whole: Bytes?

  /// The head of an answer, which its body keeps: so an answer is no object of its own.
  @exclusivity(unchecked) private(set) var head: ClientResponse?

  init(_ reader: some BodyReader, of head: ClientResponse? = nil) {
    self.head = head
    super.init(
      CustomSource(reader.loop, "read") { _ in
        reader.wantBody(true)
      } pause: { _ in
        reader.wantBody(false)
      })
  }

  /// The body of an answer, if it has come as a whole.
  init(_ loop: EventLoop, _ bytes: Bytes, of head: ClientResponse) {
    (whole, self.head) = (bytes, head)
    super.init(loop) { ($0 as! HTTPBody).sourceOfWhole }
  }

  private var sourceOfWhole: CustomSource<Bytes> {
    let bytes = whole.take() ?? Bytes()
    return CustomSource(loop, "read") { source in
      if !bytes.isEmpty { source.send(bytes) }
      source.finish()
    }
  }

  /// A body of which no bytes come any more.
  init(ended loop: EventLoop, _ error: UVError? = nil, of head: ClientResponse? = nil) {
    self.head = head
    super.init(CustomSource(loop, "read") { _ in })
    finish(error)
  }

  /// A body that a program restores from another one.
  package init(_ source: CustomSource<Bytes>, restoring original: HTTPBody) {
    self.original = original
    super.init(source)
  }

  /// Notes that the body has more bytes than the program wants.
  package func didExceedLimit() { refuse(.bodyTooLarge) }

  /// Notes that the body can't be restored.
  package func didFailToRestore(_ reason: String) { refuse(.badRequest(reason)) }

  /// Notes that nobody can restore the body.
  package func didNotKnowCoding() {
    refuse(Refusal(status: .unsupportedMediaType, reason: "the body has a content coding that isn't known"))
  }

  private func refuse(_ refusal: Refusal) {
    self.refusal = refusal
    original?.refuse(refusal)
  }

  /// Reads the rest of the body, at most `limit` bytes.
  ///
  /// - Parameter limit: The most bytes that there may be.
  /// - Returns: A request for the bytes. It fails with `messageTooLong` if there are more, and with the errors
  ///   of the body. Cancelling it leaves the bytes that it hasn't read.
  public func readToEnd(limit: Int) -> Request<Bytes> {
    Request(self, limit, operation: "read")
  }

  /// Reads the rest of the body; see ``readToEnd(limit:)``.
  @discardableResult
  public func readToEnd(limit: Int, _ done: @escaping Completion<Bytes>) -> PendingRequest {
    if let result = answerIfKnown(limit) {
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
            didExceedLimit()
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

/// The rest of a body, up to a limit. A task doesn't wait for one that is here.
extension HTTPBody: SharedWork {
  /// Whether all of the body is here, and nobody has read of it.
  @usableFromInline
  package var isKnown: Bool { whole != nil }

  @usableFromInline
  package func answerIfKnown(_ limit: Int) -> Result<Bytes, UVError>? {
    guard let bytes = whole.take() else { return nil }
    if bytes.count <= limit { return .success(bytes) }
    didExceedLimit()
    return .failure(Self.tooLong(limit))
  }

  @usableFromInline
  package func start(_ limit: Int, _ done: GenericCompletion<Bytes>) -> PendingRequest {
    guard let result = answerIfKnown(limit) else { return readToEnd(limit: limit) { done($0) } }
    loop.queueMicrotask { done(result) }
    return PendingRequest()
  }
}
#endif
