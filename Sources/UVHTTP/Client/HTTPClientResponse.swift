#if HTTP || Everything
import HTTPTypes
import UV

/// The answer to a request of an ``HTTPClient``. Use it on its loop's thread.
///
/// The answer holds a connection until its body has been read to its end. If you don't need the body, drop the
/// answer: the connection is then closed, unless all of the body has come. You may drop it on any thread.
public struct HTTPClientResponse {
  /// The body. It has no bytes if the answer has none, as with HEAD or the status 204 or 304.
  public private(set) var body: HTTPBody

  private let outgoing: OutgoingRequest

  init(_ body: HTTPBody, to outgoing: OutgoingRequest) { (self.body, self.outgoing) = (body, outgoing) }

  private var answer: ClientResponse { body.head! }

  /// The status and the fields. They are made when they are first asked for.
  public var head: HTTPResponse { answer.response }

  /// The status.
  public var status: HTTPResponse.Status { answer.status }

  /// The URL that has given the answer: that of the request, or of the last redirect that was followed. A fragment isn't a
  /// part of it.
  public var url: String {
    let request = outgoing.request
    return "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
  }

  /// The fields.
  public var headerFields: HTTPFields { head.headerFields }

  /// The connection, if the server has switched to another protocol at ``HTTPClient/upgrade(_:body:)``, with
  /// what it has sent of that already; nil otherwise. It is closed as any other stream: by `close()`, or when
  /// its last reference goes.
  public var stream: ByteStream? { answer.stream }
}
#endif
