import HTTPTypes
import UV

/// The head of an answer. Names and values are those of `HTTPFields`, which have no line ends, so that no field
/// can begin another.
struct ResponseHead {
  /// Where the body of an answer ends.
  enum Framing {
    /// There is none.
    case none
    case length(Int)
    case chunked
    /// At the end of the connection, for a client of HTTP/1.0.
    case untilClose
  }

  let status: HTTPResponse.Status
  let fields: HTTPFields
  let framing: Framing

  init(_ response: HTTPResponse, _ framing: Framing) {
    (status, fields, self.framing) = (response.status, response.headerFields, framing)
  }

  /// The head of a whole answer.
  init(_ response: HTTPResponse, bodyLength: Int) {
    (status, fields) = (response.status, response.headerFields)
    framing = status.hasNoBody ? .none : .length(bodyLength)
  }

  /// Writes the head.
  ///
  /// - Parameters:
  ///   - isLast: Whether the connection ends after the answer anyway.
  ///   - minorVersion: That of the request. A client of HTTP/1.0 is told that the connection goes on.
  ///   - date: The line with the date, for an answer that has none.
  /// - Returns: Whether the connection ends after the answer.
  func append(to bytes: inout BytesBuilder, isLast: Bool, minorVersion: Int, date: Bytes) -> Bool {
    var (isLast, hasDate) = (isLast, false)
    bytes.append("HTTP/1.1 ")
    bytes.append(decimal: status.code)
    bytes.append(" ")
    bytes.append(status.reasonPhrase)
    bytes.append("\r\n")
    // One loop, because `HTTPFields` makes an index of all fields when one is looked up by its name.
    for field in fields {
      if Self.isOurs(field.name) {
        if field.name == .connection, field.value.lowercased() == "close" { isLast = true }
        continue
      }
      if field.name.rawName.utf8.count == 4, field.name == .date { hasDate = true }
      Self.append(field, to: &bytes)
    }
    if !hasDate { bytes.append(date) }
    switch framing {
    case .none: break
    case .length(let count): Self.append(BodyFraming.length(count), to: &bytes)
    case .chunked: Self.append(BodyFraming.chunked, to: &bytes)
    case .untilClose: isLast = true
    }
    if status.code == 101 {
      bytes.append("connection: upgrade\r\n")
    } else if isLast {
      bytes.append("connection: close\r\n")
    } else if minorVersion == 0 {
      bytes.append("connection: keep-alive\r\n")
    }
    bytes.append("\r\n")
    return isLast
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
