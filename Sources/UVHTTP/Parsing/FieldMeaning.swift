#if HTTP || Everything
import HTTPTypes
import UV

/// The meaning of a request's fields for its connection and its body (RFC 9112, 3.2, 6 and 9).
struct FieldMeaning {
  private var hasHost = false
  private(set) var length: Int?
  private(set) var isTooLong = false
  private(set) var hasEncoding = false
  private(set) var closes = false
  private(set) var keepsAlive = false
  private var namesUpgrade = false
  private var hasUpgrade = false
  private var expectsContinue = false

  /// Takes a field.
  mutating func take(_ bytes: Span<UInt8>, _ name: Range<Int>, _ value: Range<Int>) throws(Refusal) {
    // Most fields don't matter here. Their length says so.
    switch name.count {
    case 4:
      if bytes.isWord(name, "host") { try takeHost(bytes, value) }
    case 6:
      if bytes.isWord(name, "expect") { try takeExpectation(bytes, value) }
    case 7:
      if bytes.isWord(name, "upgrade") { hasUpgrade = !value.isEmpty }
    case 10:
      if bytes.isWord(name, "connection") { takeConnection(bytes, value) }
    case 14:
      if bytes.isWord(name, "content-length") { try takeLength(bytes, value) }
    case 17:
      if bytes.isWord(name, "transfer-encoding") { try takeEncoding(bytes, value) }
    default: break
    }
  }

  private mutating func takeHost(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
    if hasHost { throw .badRequest("there are two hosts") }
    hasHost = true
    guard Authority.isValid(bytes, value, allowsNoHost: true) else { throw .badRequest("the host isn't one") }
  }

  private mutating func takeExpectation(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
    guard bytes.isWord(value, "100-continue") else {
      throw Refusal(status: .expectationFailed, reason: "the expectation is unknown")
    }
    expectsContinue = true
  }

  private mutating func takeConnection(_ bytes: Span<UInt8>, _ value: Range<Int>) {
    bytes.forEachElement(of: value) { option in
      if bytes.isWord(option, "close") { closes = true }
      if bytes.isWord(option, "keep-alive") { keepsAlive = true }
      if bytes.isWord(option, "upgrade") { namesUpgrade = true }
    }
  }

  /// Two lengths are refused even if they are the same, and so is a list.
  private mutating func takeLength(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
    if length != nil { throw .badRequest("there are two lengths") }
    if value.isEmpty { throw .badRequest("the length isn't a number") }
    var number = 0
    for index in value {
      guard bytes[index].isDigit else { throw .badRequest("the length isn't a number") }
      let (tenfold, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tenfold.addingReportingOverflow(Int(bytes[index] &- 0x30))
      if overflows || overflowsToo { isTooLong = true } else { number = sum }
    }
    length = number
  }

  private mutating func takeEncoding(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(Refusal) {
    if hasEncoding { throw .badRequest("there are two transfer encodings") }
    hasEncoding = true
    if bytes.isWord(value, "chunked") { return }
    var last = 0..<0
    var chunkedCount = 0
    bytes.forEachElement(of: value) {
      last = $0
      if bytes.isWord($0, "chunked") { chunkedCount += 1 }
    }
    // The end of the body can be found only if it is chunked last, and once.
    guard chunkedCount == 1, bytes.isWord(last, "chunked") else {
      throw .badRequest("the last transfer encoding isn't chunked")
    }
    if last == value { return }
    throw Refusal(status: .notImplemented, reason: "the transfer encoding is unknown")
  }

  /// Says what all fields together mean.
  func apply(to head: inout RequestHead, _ limits: HTTPLimits) throws(Refusal) {
    if head.minorVersion > 0, !hasHost { throw .badRequest("there is no host") }
    if hasEncoding, head.minorVersion == 0 { throw .badRequest("HTTP/1.0 has no transfer encoding") }
    if hasEncoding, length != nil { throw .badRequest("there are a length and a transfer encoding") }
    if head.isConnect, hasEncoding || length != nil { throw .badRequest("CONNECT has no body") }
    if isTooLong || (length ?? 0) > limits.body { throw .bodyTooLarge }
    head.framing = hasEncoding ? .chunked : length.map { $0 == 0 ? .none : .length($0) } ?? .none
    head.keepsAlive = !closes && (head.minorVersion > 0 || keepsAlive)
    // A client of HTTP/1.0 is answered as if it had not asked (RFC 9110, 10.1.1 and 7.8).
    head.expectsContinue = expectsContinue && head.minorVersion > 0 && head.framing != .none
    head.hasUpgrade = hasUpgrade && namesUpgrade && head.minorVersion > 0
  }
}
#endif
