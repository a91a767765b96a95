#if HTTP || Everything
import HTTPTypes
import UV

/// The body of an answer that the program reads as it comes.
final class BodyDelivery {
  let framing: AnswerHead.Framing
  @exclusivity(unchecked) var parser: BodyParser
  /// Where the body's bytes go. An iterator may keep only the source.
  weak var source: CustomSource<Bytes>?
  weak var body: HTTPBody?
  @exclusivity(unchecked) var isWanted = false

  init(_ framing: AnswerHead.Framing, _ limits: HTTPLimits) {
    self.framing = framing
    if case .body(let framing) = framing {
      parser = BodyParser(framing, limits, isAnswer: true)
    } else {
      parser = BodyParser(.none, limits)
    }
  }
}

/// Keeps an exchange while its body is held, and ends it when that isn't. The body's source keeps this.
private final class BodyOwner: BodyReader {
  private let exchange: ClientExchange

  init(_ exchange: ClientExchange) { self.exchange = exchange }

  // On another thread, the lease of the exchange does the rest.
  deinit { if exchange.loop.executor.isOnLoop { exchange.bodyWasDropped() } }

  var loop: EventLoop { exchange.loop }

  func wantBody(_ isWanted: Bool) { exchange.wantBody(isWanted) }
}

extension ClientExchange {
  /// Makes the body for a program that reads it as it comes.
  func beginBody(_ answer: ClientResponse) -> HTTPBody {
    let body = HTTPBody(BodyOwner(self), of: answer)
    let delivery = BodyDelivery(answer.head.framing, limits)
    (delivery.body, delivery.source) = (body, body.source)
    (self.delivery, connection.bodyExchange) = (delivery, self)
    body.expectedCount = delivery.parser.rest ?? 0
    return body
  }

  fileprivate func wantBody(_ isWanted: Bool) {
    delivery?.isWanted = isWanted
    if isWanted { readBody() }
  }

  func readBody() {
    guard let delivery else { return }
    while phase == .body {
      if delivery.framing == .untilClose {
        if !input.isEmpty { delivery.source?.send(input) }
        input = Bytes()
        if hasEnded { return finish() }
        break
      }
      do throws(Refusal) {
        switch try delivery.parser.take(from: &input) {
        case .incomplete:
          if hasEnded {
            return fail(UVError(.endOfFile, operation: "read", message: "the body isn't complete"))
          }
          if delivery.isWanted { read() }
          return
        case .content(let part): delivery.source?.send(part)
        case .end(let trailer):
          if !trailer.isEmpty { delivery.body?.trailer = HTTPFields(trailer) }
          return finish()
        }
      } catch { return refuse(error) }
    }
    if delivery.isWanted { read() }
  }

  /// Nobody holds the body any more.
  fileprivate func bodyWasDropped() { if phase != .over { fail(UVError(.cancelled, operation: "read")) } }
}
#endif
