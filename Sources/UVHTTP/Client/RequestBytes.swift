#if HTTP || Everything
import HTTPTypes
import UV

/// The bytes of a request's head. Names and values are those of `HTTPFields`, which have no line ends, so that
/// no field can begin another. The path and the authority are checked before.
enum RequestBytes {
  /// - Parameter proxy: The proxy that sends the request on, if one does: it gets the whole URL (RFC 9112, 3.2.2).
  static func head(_ outgoing: OutgoingRequest, to proxy: HTTPProxy? = nil) -> Bytes {
    let request = outgoing.request
    var bytes = BytesBuilder(capacity: 256)
    bytes.append(request.method.rawValue)
    bytes.append(" ")
    if proxy != nil { bytes.append("http://\(request.authority ?? "")") }
    // OPTIONS of the server itself has no path in this form (RFC 9112, 3.2.4).
    if proxy == nil || request.path != "*" { bytes.append(request.path ?? "/") }
    bytes.append(" HTTP/1.1\r\nhost: ")
    bytes.append(request.authority ?? "")
    bytes.append("\r\n")
    for field in request.headerFields where !isOurs(field.name) { ResponseHead.append(field, to: &bytes) }
    if let authorization = proxy?.authorization {
      ResponseHead.append(HTTPField(name: .proxyAuthorization, value: authorization), to: &bytes)
    }
    if outgoing.isUpgrade, let name = request.headerFields[.upgrade] {
      bytes.append("connection: upgrade\r\n")
      ResponseHead.append(HTTPField(name: .upgrade, value: name), to: &bytes)
    }
    if outgoing.expectsContinue { bytes.append("expect: 100-continue\r\n") }
    ResponseHead.append(outgoing.framing, to: &bytes)
    bytes.append("\r\n")
    return bytes.takeBytes()
  }

  /// Whether the client writes the field itself, because it says where the request ends or goes, and what
  /// the server does before its body.
  private static func isOurs(_ name: HTTPField.Name) -> Bool {
    ResponseHead.isOurs(name) || name == .expect || name.canonicalName == "host"
      || name.canonicalName == "upgrade"
  }

  /// A part of a chunked body.
  static func chunk(_ bytes: Bytes) -> [Bytes] {
    [Bytes(String(bytes.count, radix: 16) + "\r\n"), bytes, "\r\n"]
  }

  /// The last chunk, and the fields after it.
  static func end(_ trailers: HTTPFields) -> Bytes {
    var bytes = BytesBuilder()
    bytes.append("0\r\n")
    for field in trailers where !isOurs(field.name) { ResponseHead.append(field, to: &bytes) }
    bytes.append("\r\n")
    return bytes.takeBytes()
  }
}
#endif
