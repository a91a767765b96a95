import HTTPTypes
import UV

/// The bytes of an answer's head. Names and values are those of `HTTPFields`, which have no line ends, so
/// that no field can begin another.
enum ResponseHead {
  /// Where the body of an answer ends.
  enum Framing {
    /// There is none.
    case none
    case length(Int)
    case chunked
    /// At the end of the connection, for a client of HTTP/1.0.
    case untilClose
  }

  /// - Parameters:
  ///   - isLast: Whether the connection ends after the answer.
  ///   - date: The line with the date; nil if the answer has one.
  ///   - minorVersion: That of the request. A client of HTTP/1.0 is told that the connection goes on.
  static func append(
    _ response: HTTPResponse, _ framing: Framing, isLast: Bool, minorVersion: Int, date: Bytes?,
    to bytes: inout BytesBuilder
  ) {
    bytes.reserveCapacity(bytes.count + 256)
    let status = response.status
    bytes.append("HTTP/1.1 ")
    bytes.append(decimal: status.code)
    bytes.append(" ")
    bytes.append(status.reasonPhrase)
    bytes.append("\r\n")
    for field in response.headerFields where !isOurs(field.name) { append(field, to: &bytes) }
    if let date { bytes.append(date) }
    switch framing {
    case .none, .untilClose: break
    case .length(let count): append(BodyFraming.length(count), to: &bytes)
    case .chunked: append(BodyFraming.chunked, to: &bytes)
    }
    if status.code == 101 {
      bytes.append("connection: upgrade\r\n")
    } else if isLast {
      bytes.append("connection: close\r\n")
    } else if minorVersion == 0 {
      bytes.append("connection: keep-alive\r\n")
    }
    bytes.append("\r\n")
  }

  /// The field that says where a body ends.
  static func append(_ framing: BodyFraming, to bytes: inout BytesBuilder) {
    switch framing {
    case .none: break
    case .length(let count):
      bytes.append("content-length: ")
      bytes.append(decimal: count)
      bytes.append("\r\n")
    case .chunked: bytes.append("transfer-encoding: chunked\r\n")
    }
  }

  static func append(_ field: HTTPField, to bytes: inout BytesBuilder) {
    bytes.append(field.name.rawName)
    bytes.append(": ")
    field.withUnsafeBytesOfValue { bytes.append(UnsafeRawBufferPointer($0)) }
    bytes.append("\r\n")
  }

  /// Whether the fields of an answer have a date, and whether they end the connection. A loop looks for both,
  /// because `HTTPFields` makes an index of all fields when one is looked up by its name.
  static func meaning(of fields: HTTPFields) -> (hasDate: Bool, closes: Bool) {
    var (hasDate, closes) = (false, false)
    for field in fields {
      switch field.name.rawName.utf8.count {
      case 4: if field.name == .date { hasDate = true }
      case 10: if field.name == .connection, field.value.lowercased() == "close" { closes = true }
      default: break
      }
    }
    return (hasDate, closes)
  }

  /// Whether the connection writes the field itself, because it says where the answer ends.
  static func isOurs(_ name: HTTPField.Name) -> Bool {
    switch name.rawName.utf8.count {
    case 10: name == .connection
    case 14: name == .contentLength
    case 17: name == .transferEncoding
    default: false
    }
  }
}
