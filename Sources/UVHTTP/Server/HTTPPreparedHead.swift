#if HTTP || Everything
import HTTPTypes
import UV

/// The status and the fields of an answer that is given often, as they are sent. They are put into bytes once, and
/// not for each answer:
///
/// ```swift
/// let head = HTTPPreparedHead(HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]))
/// for try await exchange in server { try await exchange.respond(head, "hello\n").value }
/// ```
///
/// The connection still writes what each answer has of its own: the date, the length of the body, and whether the
/// connection goes on. You may use a prepared head on any loop.
public struct HTTPPreparedHead: Sendable {
  let made: Made

  /// Puts a head into bytes.
  ///
  /// - Parameter response: The status and the fields, as for ``HTTPExchange/respond(_:_:)-(HTTPResponse,Bytes)``.
  public init(_ response: HTTPResponse) { made = Made(response) }

  /// An object, so that an answer holds one reference.
  final class Made: Sendable {
    let status: HTTPResponse.Status
    let bytes: Bytes
    let said: ResponseHead.Said

    init(_ response: HTTPResponse) {
      status = response.status
      var bytes = BytesBuilder(capacity: 256)
      said = ResponseHead.append(response.status, response.headerFields, to: &bytes)
      self.bytes = bytes.takeBytes()
    }
  }
}
#endif
