#if HTTP || Everything
import UV

/// The form of a request's target (RFC 9112, 3.2).
enum RequestTarget: Equatable {
  /// `/path?query`
  case origin
  /// `http://host/path?query`; the scheme's and the authority's places, and where the path begins.
  case absolute(scheme: Range<Int>, authority: Range<Int>)
  /// `host:port`, of CONNECT.
  case authority
  /// `*`, of OPTIONS.
  case asterisk

  /// Understands the target of a request, whose bytes may all stand in one.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, isConnect: Bool, isOptions: Bool) throws(Refusal) {
    if isConnect {
      guard Authority.isValid(bytes, range, needsPort: true) else {
        throw .badRequest("the target of CONNECT isn't a host and a port")
      }
      self = .authority
    } else if bytes[range.lowerBound] == UInt8(ascii: "/") {
      self = .origin
    } else if isOptions, range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*") {
      self = .asterisk
    } else {
      self = try Self.absolute(bytes, range)
    }
  }

  private static func absolute(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Refusal) -> RequestTarget {
    let wrong = Refusal.badRequest("the target is neither a path nor a URI of http or https")
    var position = range.lowerBound
    while position < range.upperBound, bytes[position] != UInt8(ascii: ":") { position += 1 }
    let scheme = range.lowerBound..<position
    guard bytes.isWord(scheme, "http") || bytes.isWord(scheme, "https"), position + 3 <= range.upperBound,
      bytes[position + 1] == UInt8(ascii: "/"), bytes[position + 2] == UInt8(ascii: "/")
    else { throw wrong }
    let host = position + 3
    position = host
    while position < range.upperBound, bytes[position] != UInt8(ascii: "/"),
      bytes[position] != UInt8(ascii: "?")
    {
      position += 1
    }
    guard Authority.isValid(bytes, host..<position) else { throw wrong }
    return .absolute(scheme: scheme, authority: host..<position)
  }
}
#endif
