#if HTTP || Everything
import HTTPTypes
public import UV
public import UVHTTP

/// Answers requests with what loops do; see ``Diagnostics/handler(on:)``. Use it on its loop's thread.
///
/// The last part of the path says what is wanted: nothing (the path ends with `/`) the page, `snapshot.json` and
/// `metrics` the others.
public final class DiagnosticsHandler {
  private let loop: EventLoop
  private let access: DiagnosticsAccess
  private let patience: Duration
  private let inquiries: [LoopInquiry]
  private var metrics = PrometheusText()

  init(_ diagnostics: Diagnostics, _ loop: EventLoop) throws(UVError) {
    loop.assertOnLoop()
    self.loop = loop
    access = try DiagnosticsAccess(diagnostics.token, diagnostics.hosts)
    patience = diagnostics.patience
    inquiries = diagnostics.executors.map { LoopInquiry($0, limit: diagnostics.limit, on: loop) }
  }

  /// Answers a request.
  ///
  /// - Parameter exchange: A request of this loop. A client that may not see the answer gets 401 (Unauthorized), and 421
  ///   (Misdirected Request) if the host's name is a stranger's.
  /// - Returns: A request that ends when the answer is on its way, as that of `HTTPExchange.respond`, and fails as
  ///   that does. If it is cancelled while loops are asked, the exchange has no answer yet.
  public func answer(_ exchange: HTTPExchange) -> Request<Void> {
    Request(of: loop) { [self] in answer(exchange, $0) }
  }

  /// Answers a request; see ``answer(_:)``.
  @discardableResult
  public func answer(_ exchange: HTTPExchange, _ done: @escaping Completion<Void>) -> PendingRequest {
    let request = exchange.request
    if let refusal = access.refusal(of: request) {
      return exchange.respond(refusal.response, refusal.text, done)
    }
    let path = (request.path ?? "").prefix { $0 != "?" }
    switch path.split(separator: "/", omittingEmptySubsequences: false).last ?? "" {
    case "":
      let nonce = DiagnosticsAccess.nonce()
      return exchange.respond(access.page(nonce), Bytes(DiagnosticsPage.text(nonce: nonce)), done)
    case "snapshot.json":
      return gather(exchange, done, type: "application/json") { Self.json($0) }
    case "metrics":
      return gather(exchange, done, type: "text/plain; version=0.0.4; charset=utf-8") { [self] in
        metrics.text($0)
      }
    default: return exchange.respond(access.response(.notFound), "not found\n", done)
    }
  }

  /// Asks all loops, and answers with what `text` makes of their answers.
  private func gather(
    _ exchange: HTTPExchange, _ done: @escaping Completion<Void>, type: String,
    _ text: @escaping ([LoopView]) -> String
  ) -> PendingRequest {
    let gathering = Gathering(inquiries, loop, patience) { [access] views in
      var response = access.response(.ok)
      response.headerFields[.contentType] = type
      return exchange.respond(response, Bytes(text(views)), done)
    }
    return PendingRequest("answer") { [loop] in
      guard gathering.cancel() else { return }
      loop.queueMicrotask { done(.failure(UVError(.cancelled, operation: "answer"))) }
    }
  }

  private static func json(_ views: [LoopView]) -> String {
    let process = JSON.object([
      ("id", .number(Double(SystemInfo.processID))),
      ("program", .text(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "")),
      ("memory", (try? SystemInfo.residentMemory()).map { .number(Double($0)) }),
      ("libuv", .text(SystemInfo.libuvVersion)),
    ])
    return JSON.object([("process", process), ("loops", .list(views.map(\.json)))]).text + "\n"
  }
}

/// A question to all loops, which ends when each has answered, or when the time is over.
private final class Gathering {
  private let inquiries: [LoopInquiry]
  private var missing = 0
  private var timer = PendingRequest()
  private var done: (([LoopView]) -> PendingRequest)?
  private var answering = PendingRequest()

  init(
    _ inquiries: [LoopInquiry], _ loop: EventLoop, _ patience: Duration,
    _ done: @escaping ([LoopView]) -> PendingRequest
  ) {
    self.inquiries = inquiries
    self.done = done
    missing = inquiries.count
    for inquiry in inquiries {
      inquiry.ask(ObjectIdentifier(self)) { [self] in
        missing -= 1
        if missing == 0 { end() }
      }
    }
    timer = loop.sleep(for: missing == 0 ? .zero : patience) { [self] result in
      if case .success = result { end() }
    }
  }

  private func end() {
    guard let done else { return }
    let views = views
    stop()
    answering = done(views)
  }

  /// The loops that haven't ended. Those of one name get a number, which distinguishes them.
  private var views: [LoopView] {
    var names: Set<String> = []
    return inquiries.compactMap { inquiry in
      let first = inquiry.name
      var (name, number) = (first, 1)
      while !names.insert(name).inserted {
        number += 1
        name = "\(first) \(number)"
      }
      return inquiry.view(for: ObjectIdentifier(self), as: name)
    }
  }

  private func stop() {
    done = nil
    timer.cancel()
    for inquiry in inquiries { inquiry.forget(ObjectIdentifier(self)) }
  }

  /// Returns whether nobody has been answered.
  func cancel() -> Bool {
    if done == nil {
      answering.cancel()
      return false
    }
    stop()
    return true
  }
}
#endif
