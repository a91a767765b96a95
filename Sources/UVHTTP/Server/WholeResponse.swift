#if HTTP || Everything
import HTTPTypes
import UV

/// A whole answer that a program asks for as a request. A task that gives it when it is its turn needn't wait.
final class WholeResponse: DirectWork {
  private let exchange: HTTPExchange
  private let head: Head
  private let body: Bytes

  /// A head that takes no more memory here than a response.
  enum Head {
    case response(HTTPResponse)
    case prepared(HTTPPreparedHead)
  }

  init(_ exchange: HTTPExchange, _ head: Head, _ body: Bytes) {
    (self.exchange, self.head, self.body) = (exchange, head, body)
  }

  var loop: EventLoop { exchange.loop }

  private var responseHead: ResponseHead {
    switch head {
    case .response(let response): ResponseHead(response, bodyLength: body.count)
    case .prepared(let head): ResponseHead(head, bodyLength: body.count)
    }
  }

  func doAtOnce() -> Result<Void, UVError>? {
    exchange.respondAtOnce(responseHead, body) ? .success(()) : nil
  }

  func start(_ done: @escaping Completion<Void>) -> PendingRequest {
    exchange.waitForAnswer(done) ?? exchange.respond(responseHead, body, done)
  }
}
#endif
