import HTTPTypes
import UV

/// A whole answer that a program asks for as a request. A task that gives it when it is its turn needn't wait.
final class WholeAnswer: DirectWork {
  private let exchange: HTTPExchange
  private let response: HTTPResponse
  private let body: Bytes

  init(_ exchange: HTTPExchange, _ response: HTTPResponse, _ body: Bytes) {
    (self.exchange, self.response, self.body) = (exchange, response, body)
  }

  var loop: EventLoop { exchange.loop }

  func doAtOnce() -> Result<Void, UVError>? { exchange.respondAtOnce(response, body) ? .success(()) : nil }

  func start(_ done: @escaping Completion<Void>) -> PendingRequest { exchange.respond(response, body, done) }
}
