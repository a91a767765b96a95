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
#endif
