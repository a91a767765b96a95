#if HTTP || Everything
import UV

/// The bytes that a connection has received and not used, which begin with the next request or with a body.
///
/// It can't be copied: each look at a part of it, through the connection, would copy all of it.
struct RequestInput: ~Copyable {
  enum NextHead {
    case none
    /// A part of a head has come.
    case incomplete
    case complete(ReceivedHead)
  }

  /// Up to this count, bytes that come together are copied. A part of them that is kept then doesn't keep a
  /// loop's whole buffer.
  private static let shortCount = 4096

  var bytes = Bytes()
  /// Whether they are a part of more memory than a request may keep.
  private var isLong = false
  private var parser: HeadParser
  /// Whether the parser has read a part of a head.
  private var isParsing = false
  /// A request that is handed out once those before it have been answered.
  var held: ReceivedHead?
  /// How many bytes have come.
  private var count = 0
  /// How many had come when the service ended; nil while it goes on.
  private var lastCount: Int?

  init(_ limits: HTTPLimits) { parser = HeadParser(limits) }

  /// Whether nothing is left of what had come when the service ended.
  var isPastLast: Bool { lastCount.map { count &- bytes.count >= $0 } ?? false }

  /// The service ends.
  mutating func noteLast() { lastCount = lastCount ?? count }

  /// - Parameters:
  ///   - isBody: Whether a body goes on. Its bytes aren't copied.
  ///   - last: The head that has come last. A client often sends it again, and its bytes then take no more memory.
  mutating func append(_ new: Bytes, isBody: Bool, last: ReceivedHead?) {
    count &+= new.count
    if !bytes.isEmpty {
      bytes = bytes.followed(by: new)
    } else if !isBody, new.count <= Self.shortCount {
      if let last, new == last.bytes { bytes = last.bytes } else { bytes = new.copy() }
    } else {
      bytes = new
    }
    isLong = bytes.count > Self.shortCount
  }

  /// Whether the next request has the same head as one that has been read.
  func begins(with head: ReceivedHead) -> Bool { !isParsing && bytes.starts(with: head.bytes) }

  /// Reads on in the next head.
  mutating func nextHead(_ limits: HTTPLimits) throws(Refusal) -> NextHead {
    if bytes.isEmpty { return .none }
    // Reading them where they are would exclude the parser, which is a part of the same value.
    let bytes = bytes
    guard let head = try parser.parse(bytes.span) else {
      isParsing = true
      return .incomplete
    }
    parser = HeadParser(limits)
    isParsing = false
    let received = Bytes(bytes[..<head.end])
    return .complete(ReceivedHead(head, isLong ? received.copy() : received))
  }
}
#endif
