#if HTTP || Everything
import UV

/// Where the body of a message ends (RFC 9112, 6.3).
enum BodyFraming: Equatable {
  case none
  case length(Int)
  case chunked
}

/// The head of a request that has come completely: where its parts are, and what it says of the connection
/// and of its body.
struct RequestHead: Equatable {
  var method = 0..<0
  var target = 0..<0
  var form = RequestTarget.origin
  /// 0 for HTTP/1.0. A later version than 1.1 counts as 1.1.
  var minorVersion = 1
  /// Where the first field begins.
  var fields = 0
  /// The position after the empty line.
  var end = 0
  var framing = BodyFraming.none
  /// Whether the connection goes on after the answer.
  var keepsAlive = true
  /// Whether the client waits for leave to send the body.
  var expectsContinue = false
  /// Whether the client asks for another protocol.
  var hasUpgrade = false
  var isHead = false
  var isConnect = false
  /// Whether the method only looks (RFC 9110, 9.2.1), so that the next request needn't wait.
  var isSafe = false
}

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
