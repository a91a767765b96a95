#if HTTP || Everything
import HTTPTypes
import UV

/// A request and its body, as a client sends them: again on another connection if need be, and a GET as often as
/// the program asks for the same URL. Its head is encoded once.
final class OutgoingRequest {
  enum Body {
    case whole(Bytes)
    case parts(Parts)
  }

  /// A body that comes bit by bit.
  struct Parts {
    /// The next part, each time that it is asked.
    var next: (@escaping Completion<Bytes?>) -> PendingRequest
    /// The length, if it is known.
    var length: Int?
    /// The fields after the body, if there may be some.
    var trailers: (() -> HTTPFields)?
  }

  let request: HTTPRequest
  let body: Body
  /// Whether it asks for the protocol in its field `Upgrade`.
  let isUpgrade: Bool
  /// Called with each interim answer.
  let onInterim: ((HTTPResponse) -> Void)?
  let framing: BodyFraming
  /// Whether its body waits for leave to be sent.
  let expectsContinue: Bool
  let isHead: Bool
  /// The bytes of its head.
  private(set) lazy var head = RequestBytes.head(self)
  /// Why it can't be sent; nil if it can.
  let fault: String?
  /// The pool for a request that is remembered, if it is known.
  @exclusivity(unchecked) var pool: ClientPool?

  init(
    request: HTTPRequest, body: Body, isUpgrade: Bool = false, onInterim: ((HTTPResponse) -> Void)? = nil
  ) {
    (self.request, self.body, self.isUpgrade, self.onInterim) = (request, body, isUpgrade, onInterim)
    fault = Self.fault(of: request, body, isUpgrade)
    let method = request.method
    isHead = method == .head
    let framing: BodyFraming =
      switch body {
      case .whole(let bytes):
        // A server expects a length where the method gives a body a meaning (RFC 9110, 8.6).
        bytes.isEmpty && method != .post && method != .put && method != .patch ? .none : .length(bytes.count)
      case .parts(let parts): parts.length.map { .length($0) } ?? .chunked
      }
    self.framing = framing
    expectsContinue =
      framing != .none && framing != .length(0)
      && request.headerFields.contains { $0.name == .expect && $0.value.lowercased() == "100-continue" }
  }

  /// Whether the system takes it at once, most often.
  var isShort: Bool {
    if case .whole(let bytes) = body { bytes.count < 32768 && !expectsContinue } else { false }
  }

  /// Whether it can be sent once more.
  var isRepeatable: Bool { if case .whole = body { true } else { false } }

  /// Whether sending it twice does the same as once (RFC 9110, 9.2.2).
  var isIdempotent: Bool {
    switch request.method {
    case .get, .head, .options, .trace, .put, .delete: true
    default: false
    }
  }

  /// The request in another form: without leave to wait for, or for the place that a redirect names.
  func changed(to request: HTTPRequest, _ body: Body) -> OutgoingRequest {
    OutgoingRequest(request: request, body: body, isUpgrade: isUpgrade, onInterim: onInterim)
  }

  /// Whether it may go out on a connection. If it can't be sent again, it doesn't go out where the server has ended the
  /// connection already, or has said something, though that hasn't been read.
  func mayGoOut(on connection: ClientConnection) -> Bool {
    !connection.mayBeStale || isIdempotent && isRepeatable || !connection.stream.hasUnreadInput
  }

  private static func fault(of request: HTTPRequest, _ body: Body, _ isUpgrade: Bool) -> String? {
    if request.method == .connect { return "CONNECT is for proxies: set HTTPClientOptions.proxy" }
    if !request.hasValidPath { return "the path has a character that must be encoded" }
    if case .parts(let parts) = body, let length = parts.length {
      if length < 0 { return "the length is negative" }
      if parts.trailers != nil { return "a body with a length has no trailer" }
    }
    if isUpgrade, protocols(request.headerFields).isEmpty { return "Upgrade names no protocol" }
    return nil
  }

  /// Whether a server that switches to another protocol has been asked to (RFC 9110, 7.8).
  func hasAsked(for answer: HTTPResponse) -> Bool {
    let protocols = Self.protocols(answer.headerFields)
    return isUpgrade && !protocols.isEmpty && protocols.isSubset(of: Self.protocols(request.headerFields))
  }

  private static func protocols(_ fields: HTTPFields) -> Set<String> {
    let names = (fields[.upgrade] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
    return Set(names.map(String.init))
  }
}

/// A GET that a client remembers. It is the work of each request for it.
final class ClientGet: SharedWork {
  private let core: ClientCore
  let outgoing: OutgoingRequest
  let url: String

  init(_ core: ClientCore, _ outgoing: OutgoingRequest, of url: String) {
    (self.core, self.outgoing, self.url) = (core, outgoing, url)
  }

  var loop: EventLoop { core.loop }

  func start(_ argument: Int, _ done: GenericCompletion<HTTPClientResponse>) -> PendingRequest {
    core.send(outgoing, telling: .generic(done))
  }
}
#endif
