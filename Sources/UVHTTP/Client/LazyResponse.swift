import HTTPTypes
import UV

/// The head of an answer, which is made when the program asks for it: each field costs allocations.
final class LazyResponse {
  private let head: AnswerHead
  private let bytes: Bytes
  private(set) lazy var response = head.response(bytes)

  init(_ head: AnswerHead, _ bytes: Bytes) { (self.head, self.bytes) = (head, bytes) }

  var status: HTTPResponse.Status { head.status(bytes) }
}
