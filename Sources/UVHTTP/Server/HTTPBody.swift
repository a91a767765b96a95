import HTTPTypes
import UV

/// The body of a request: a source of bytes. It reads from the client only while somebody asks.
package final class HTTPBody: EventSource {
  package typealias Element = Bytes
  package typealias Failure = UVError

  private let source: CustomSource<Bytes>
  /// The fields after a chunked body, once that has ended.
  package internal(set) var trailers: HTTPFields?

  init(_ connection: ServerConnection) {
    source = CustomSource(connection.loop, "read") { _ in
      connection.wantBody(true)
    } pause: { _ in
      connection.wantBody(false)
    }
  }

  package var loop: EventLoop { source.loop }

  /// Reads all of the body.
  ///
  /// - Parameter limit: The most bytes that there may be.
  /// - Returns: A request for the bytes. It fails with `messageTooLong` if there are more.
  package func readToEnd(limit: Int) -> Request<Bytes> {
    Request(loop) { [self] in readToEnd(limit: limit, $0) }
  }

  /// Reads all of the body; see ``readToEnd(limit:)``.
  @discardableResult
  package func readToEnd(limit: Int, _ done: @escaping Completion<Bytes>) -> PendingRequest {
    var bytes = BytesBuilder()
    var pending = PendingRequest()
    func readOn() {
      pending = next { result in
        switch result {
        case .success(let part?):
          if bytes.count + part.count > limit {
            return done(.failure(UVError(.messageTooLong, operation: "read", subject: "limit \(limit)")))
          }
          bytes.append(part)
          readOn()
        case .success(nil): done(.success(bytes.takeBytes()))
        case .failure(let error): done(.failure(error))
        }
      }
    }
    readOn()
    return PendingRequest { pending.cancel() }
  }

  func send(_ bytes: Bytes) { source.send(bytes) }

  func finish(_ error: UVError? = nil) { source.finish(error) }

  @discardableResult
  package func next(_ done: @escaping Completion<Bytes?>) -> PendingRequest { source.next(done) }

  @discardableResult
  package func next(for receiver: ElementReceiver<Bytes>) -> PendingRequest { source.next(for: receiver) }

  package func start(_ handler: @escaping Completion<Bytes?>) { source.start(handler) }

  package func start(for receiver: ElementReceiver<Bytes>) { source.start(for: receiver) }

  package func stop() { source.stop() }

  package func makeAsyncIterator() -> SourceIterator<Bytes> { source.makeAsyncIterator() }
}
