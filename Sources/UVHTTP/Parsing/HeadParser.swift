#if HTTP || Everything
import HTTPTypes
import UV

/// Reads the head of a request, as its bytes come (RFC 9112, 2 to 6).
///
/// It goes on at the line that wasn't complete. So each line is read once, but for the last one, whose length
/// is limited.
struct HeadParser {
  private enum Stage { case emptyLine, requestLine, fields }

  /// A longer method is none that anybody knows.
  private static let longestMethod = 64

  private let limits: HTTPLimits
  private var stage = Stage.emptyLine
  /// Where the request line begins.
  private var position = 0
  private var lines = FieldLines(from: 0)
  private var head = RequestHead()
  private var meaning = FieldMeaning()

  init(_ limits: HTTPLimits) { self.limits = limits }

  /// Reads on.
  ///
  /// - Parameter bytes: All that has come since the head's beginning, each time.
  /// - Returns: The head; nil if it isn't complete. More bytes may follow its end.
  mutating func parse(_ bytes: Span<UInt8>) throws(Refusal) -> RequestHead? {
    if stage == .emptyLine, try !skipEmptyLine(bytes) { return nil }
    if stage == .requestLine, try !readRequestLine(bytes) { return nil }
    while true {
      switch try lines.next(bytes, limits) {
      case .incomplete: return nil
      case .field(let name, let value, _): try meaning.take(bytes, name, value)
      case .end(let end):
        head.end = end
        try meaning.apply(to: &head, limits)
        return head
      }
    }
  }

  /// A client may send an empty line after the body of its request before (RFC 9112, 2.2). One is passed
  /// over.
  private mutating func skipEmptyLine(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
    if bytes.isEmpty { return false }
    if bytes[0] == .carriageReturn || bytes[0] == .lineFeed {
      switch try LineEnd.read(bytes, at: 0, orElse: "") {
      case .incomplete: return false
      case .end(let next): position = next
      }
    }
    stage = .requestLine
    return true
  }

  private mutating func readRequestLine(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
    let (start, count) = (position, bytes.count)
    var place = start
    while place < count, bytes[place].isToken { place += 1 }
    if place - start > Self.longestMethod {
      throw Refusal(status: .notImplemented, reason: "the method is unknown")
    }
    if place == count { return false }
    let method = start..<place
    guard !method.isEmpty, bytes[place] == .space else {
      throw .badRequest("the method isn't a token with a space after it")
    }
    place += 1
    let target = place
    while place < count, bytes[place].isTarget { place += 1 }
    if place - start > limits.requestLine { throw .requestLineTooLong }
    if place == count { return false }
    let targetEnd = place
    guard target < targetEnd, bytes[place] == .space else {
      throw .badRequest("the target is missing, or has a character that must be encoded")
    }
    guard let (version, end) = try Self.readVersion(bytes, at: place + 1) else { return false }
    if end - start > limits.requestLine { throw .requestLineTooLong }
    head.minorVersion = version
    head.method = method
    head.target = target..<targetEnd
    try understand(bytes)
    lines = FieldLines(from: end)
    head.fields = end
    stage = .fields
    return true
  }

  /// Reads `HTTP/1.1` and the end of the line. Each byte is looked at as it comes.
  private static func readVersion(_ bytes: Span<UInt8>, at start: Int) throws(Refusal) -> (Int, Int)? {
    let wrong = Refusal.badRequest("the version isn't HTTP's")
    let name: StaticString = "HTTP/"
    for index in 0..<name.utf8CodeUnitCount {
      if start + index == bytes.count { return nil }
      let expected = name.withUTF8Buffer { $0[index] }
      guard bytes[start + index] == expected else { throw wrong }
    }
    let digits = start + 5
    guard digits + 3 <= bytes.count else {
      if digits < bytes.count, !bytes[digits].isDigit { throw wrong }
      if digits + 1 < bytes.count, bytes[digits + 1] != UInt8(ascii: ".") { throw wrong }
      return nil
    }
    let (major, dot, minor) = (bytes[digits], bytes[digits + 1], bytes[digits + 2])
    guard major.isDigit, dot == UInt8(ascii: "."), minor.isDigit else { throw wrong }
    guard major == 0x31 else {
      throw Refusal(status: .httpVersionNotSupported, reason: "only HTTP/1.0 and HTTP/1.1 are known")
    }
    switch try LineEnd.read(bytes, at: digits + 3, orElse: "something follows the version") {
    case .incomplete: return nil
    case .end(let end): return (minor == 0x30 ? 0 : 1, end)
    }
  }

  private mutating func understand(_ bytes: Span<UInt8>) throws(Refusal) {
    func isMethod(_ name: StaticString) -> Bool { bytes.isEqual(head.method, name) }
    var isOptions = false
    switch head.method.count {
    case 3: head.isSafe = isMethod("GET")
    case 4:
      head.isHead = isMethod("HEAD")
      head.isSafe = head.isHead
    case 5: head.isSafe = isMethod("TRACE")
    case 7:
      head.isConnect = isMethod("CONNECT")
      isOptions = isMethod("OPTIONS")
      head.isSafe = isOptions
    default: break
    }
    head.form = try RequestTarget(bytes, head.target, isConnect: head.isConnect, isOptions: isOptions)
  }
}

/// Why a message is refused: the status that says so to the client, and a reason for people.
struct Refusal: Error, Equatable {
  let status: HTTPResponse.Status
  let reason: String

  static func badRequest(_ reason: String) -> Refusal { Refusal(status: .badRequest, reason: reason) }
}

extension Refusal {
  static let requestLineTooLong = Refusal(status: .uriTooLong, reason: "the request line is too long")
  static let fieldsTooLarge = Refusal(
    status: .requestHeaderFieldsTooLarge, reason: "the fields are too large")
  static let tooManyFields = Refusal(
    status: .requestHeaderFieldsTooLarge, reason: "there are too many fields")
  static let bodyTooLarge = Refusal(status: .contentTooLarge, reason: "the body is too large")
  static let tooManyInterimAnswers = badRequest("there are too many interim answers")
  static let bareLineEnd = badRequest("a line doesn't end with CR LF")
}
#endif
