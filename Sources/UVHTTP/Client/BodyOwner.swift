import UV

/// Keeps an exchange while its body is held, and ends it when that isn't. The body's source keeps this.
final class BodyOwner: BodyReader {
  private let exchange: ClientExchange

  init(_ exchange: ClientExchange) { self.exchange = exchange }

  // On another thread, the lease of the exchange does the rest.
  deinit { if exchange.loop.executor.isOnLoop { exchange.bodyWasDropped() } }

  var loop: EventLoop { exchange.loop }

  func wantBody(_ isWanted: Bool) { exchange.wantBody(isWanted) }
}
