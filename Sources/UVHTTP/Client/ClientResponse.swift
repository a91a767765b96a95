#if HTTP || Everything
import HTTPTypes
import UV

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
