import UVHTTP

/// A request of these worlds. Its target says how it wants to be answered, so that both sides know what is right.
struct HTTPQuestion {
  /// How the server answers.
  enum Kind: Int, CaseIterable {
    case whole, chunked, lengthy, file
    /// Before the body is read.
    case early
    /// The last answer of the connection.
    case last
    /// The server loses the request: 500.
    case lost
    /// The other server has the answer.
    case redirect
  }

  /// How the body is sent.
  enum Framing: Int { case none, length, chunked }

  let number: Int
  let kind: Kind
  /// How many bytes the answer's body has.
  let size: Int
  let framing: Framing
  /// How many bytes the request's body has.
  let bodyCount: Int
  /// Whether the client waits for leave to send the body.
  let isExpecting: Bool

  /// What a file of the server's has, from its beginning.
  static let file = message(7, 100_000)

  static func draw(_ loop: EventLoop, _ number: Int) -> HTTPQuestion {
    let framing = Framing(rawValue: max(0, loop.draw(5) - 2))!
    let kinds: [Kind] =
      loop.isDrawn(oneIn: 12) ? [.last, .lost] : [.whole, .whole, .chunked, .lengthy, .file, .early]
    return HTTPQuestion(
      number: number, kind: kinds[loop.draw(kinds.count)],
      size: loop.draw([50, 50, 5000, 100_000][loop.draw(4)]),
      framing: framing, bodyCount: framing == .none ? 0 : 1 + loop.draw([50, 5000, 50_000][loop.draw(3)]),
      isExpecting: framing != .none && loop.isDrawn(oneIn: 6))
  }

  init(
    number: Int, kind: Kind, size: Int, framing: Framing = .none, bodyCount: Int = 0,
    isExpecting: Bool = false
  ) {
    (self.number, self.kind, self.size) = (number, kind, size)
    (self.framing, self.bodyCount, self.isExpecting) = (framing, bodyCount, isExpecting)
  }

  /// The question of a request's target; nil if it isn't one.
  init?(path: String) {
    let parts = path.split(separator: "/").compactMap { Int($0) }
    guard parts.count == 5, let kind = Kind(rawValue: parts[1]), let framing = Framing(rawValue: parts[3])
    else { return nil }
    self.init(number: parts[0], kind: kind, size: parts[2], framing: framing, bodyCount: parts[4])
  }

  var path: String { "/\(number)/\(kind.rawValue)/\(size)/\(framing.rawValue)/\(bodyCount)" }

  var body: Bytes { message(number % Self.redirected, bodyCount) }

  /// What a redirect adds to a question's number.
  static let redirected = 500_000

  /// The question that a redirect asks for: a POST with 302 would become a GET, so it gets 307.
  var target: HTTPQuestion {
    HTTPQuestion(
      number: number + Self.redirected, kind: .whole, size: size, framing: framing, bodyCount: bodyCount)
  }

  /// The bytes of the answer's body.
  var answer: Bytes {
    switch kind {
    case .lost: Bytes("500 there is no answer\n")
    case .file: Bytes(Self.file[..<size])
    default: message(number + 1, size)
    }
  }

  var status: Int { kind == .lost ? 500 : 200 }

  /// Whether the connection ends after the answer.
  var isLast: Bool { kind == .last || isExpecting && (kind == .early || kind == .lost) }

  // MARK: As bytes

  var head: Bytes {
    var text = "\(framing == .none ? "GET" : "POST") \(path) HTTP/1.1\r\nHost: server\r\n"
    if isExpecting { text += "Expect: 100-continue\r\n" }
    switch framing {
    case .none: break
    case .length: text += "Content-Length: \(bodyCount)\r\n"
    case .chunked: text += "Transfer-Encoding: chunked\r\n"
    }
    return Bytes(text + "\r\n")
  }

  /// The body as it is sent.
  func framedBody(_ loop: EventLoop) -> Bytes {
    if framing != .chunked { return body }
    var bytes = BytesBuilder()
    var rest = body[...]
    while !rest.isEmpty {
      let part = rest.prefix(1 + loop.draw(loop.isDrawn(oneIn: 2) ? 20_000 : 300))
      rest = rest.dropFirst(part.count)
      bytes.append(String(part.count, radix: 16) + (loop.isDrawn(oneIn: 4) ? ";a=\"b\"\r\n" : "\r\n"))
      bytes.append(Bytes(part))
      bytes.append("\r\n")
    }
    bytes.append(loop.isDrawn(oneIn: 4) ? "0\r\nx-number: \(number)\r\n\r\n" : "0\r\n\r\n")
    return bytes.takeBytes()
  }
}
