#if HTTP || Everything
import HTTPTypes
import UV

/// The head of an answer that has come completely: where its parts are, and what it says of the connection and
/// of its body.
struct AnswerHead: Equatable {
  /// Where the body ends (RFC 9112, 6.3).
  enum Framing: Equatable {
    case body(BodyFraming)
    /// At the end of the connection.
    case untilClose
    /// There is no body: the connection is a tunnel from here on.
    case tunnel
  }

  var status = 0
  var reason = 0..<0
  /// 0 for HTTP/1.0. A later version than 1.1 counts as 1.1.
  var minorVersion = 1
  /// Where the first field begins.
  var fields = 0
  /// The position after the empty line.
  var end = 0
  var framing = Framing.body(.none)
  /// Whether the connection goes on after the answer.
  var keepsAlive = true

  /// Whether a final answer follows.
  var isInterim: Bool { status < 200 }

  /// The head as swift-http-types has it.
  func response(_ bytes: Bytes) -> HTTPResponse {
    HTTPResponse(status: status(bytes), headerFields: HTTPFields(bytes, from: fields))
  }

  func status(_ bytes: Bytes) -> HTTPResponse.Status {
    // Most answers are this, which needs no text.
    if status == 200, bytes.span.isEqual(reason, "OK") { return .ok }
    return HTTPResponse.Status(code: status, reasonPhrase: String(decoding: bytes[reason], as: UTF8.self))
  }
}

/// The head of an answer, and its bytes. Fields are made when the program asks for them: each costs allocations.
final class ClientResponse {
  /// The longest head that is remembered.
  private static let longest = 2048

  let head: AnswerHead
  let bytes: Bytes
  /// Whether the question was HEAD, whose answers have no body.
  private let isOfHead: Bool
  private(set) lazy var response = head.response(bytes)
  /// The connection, if it is the program's from here on.
  let stream: ByteStream?

  init(_ head: AnswerHead, _ bytes: Bytes, isOfHead: Bool, _ stream: ByteStream? = nil) {
    (self.head, self.bytes, self.isOfHead, self.stream) = (head, bytes, isOfHead, stream)
  }

  var status: HTTPResponse.Status { head.status(bytes) }

  /// Whether to compare the next answers with it: servers often send the same head again.
  var isToRemember: Bool { bytes.count <= Self.longest }

  /// Whether an answer begins with the same head, and means the same.
  func isHead(of input: Bytes, isOfHead: Bool) -> Bool {
    isOfHead == self.isOfHead && input.starts(with: bytes)
  }
}
#endif
