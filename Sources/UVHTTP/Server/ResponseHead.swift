#if HTTP || Everything
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
  private let fields: HTTPFields
  /// The status and the fields in bytes, if they were prepared.
  private let prepared: HTTPPreparedHead.Made?
  let framing: Framing

  init(_ response: HTTPResponse, _ framing: Framing) {
    (status, fields, prepared, self.framing) = (response.status, response.headerFields, nil, framing)
  }

  /// The head of a whole answer.
  init(_ response: HTTPResponse, bodyLength: Int) {
    // The status is made anew each time it is asked for.
    (status, fields, prepared) = (response.status, response.headerFields, nil)
    framing = status.hasNoBody ? .none : .length(bodyLength)
  }

  /// The head of a whole answer.
  init(_ head: HTTPPreparedHead, bodyLength: Int) {
    (status, fields, prepared) = (head.made.status, HTTPFields(), head.made)
    framing = status.hasNoBody ? .none : .length(bodyLength)
  }

  /// Writes the head.
  ///
  /// - Parameters:
  ///   - isLast: Whether the connection ends after the answer anyway.
  ///   - minorVersion: That of the request. To a client of HTTP/1.0 the head says that the connection goes on.
  ///   - date: The line with the date, for an answer that has none.
  /// - Returns: Whether the connection ends after the answer.
  func append(to bytes: inout BytesBuilder, isLast: Bool, minorVersion: Int, date: Bytes) -> Bool {
    var isLast = isLast
    let said: Said
    if let prepared {
      bytes.append(prepared.bytes)
      said = prepared.said
    } else {
      said = Self.append(status, fields, to: &bytes)
    }
    if said.isLast { isLast = true }
    if !said.hasDate { bytes.append(date) }
    switch framing {
    case .none: break
    case .length(let count): Self.append(BodyFraming.length(count), to: &bytes)
    case .chunked: Self.append(BodyFraming.chunked, to: &bytes)
    case .untilClose: isLast = true
    }
    // The field `Upgrade` is for this connection alone, and has to say so (RFC 9110, 7.8).
    if status.code == 101 || said.hasUpgrade && !isLast {
      bytes.append("connection: upgrade\r\n")
    } else if isLast {
      bytes.append(said.hasUpgrade ? "connection: close, upgrade\r\n" : "connection: close\r\n")
    } else if minorVersion == 0 {
      bytes.append("connection: keep-alive\r\n")
    }
    bytes.append(literal: "\r\n")
    return isLast
  }

  /// The meaning of the program's fields for the connection.
  struct Said: Sendable {
    /// Whether the connection ends after the answer.
    var isLast = false
    var hasDate = false
    var hasUpgrade = false
  }

  /// Writes the status line and the program's fields.
  static func append(
    _ status: HTTPResponse.Status, _ fields: HTTPFields, to bytes: inout BytesBuilder
  ) -> Said {
    var said = Said()
    if status.code == 200, status.reasonPhrase == "OK" {
      bytes.append(literal: "HTTP/1.1 200 OK\r\n")
    } else {
      bytes.append("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
    }
    // One loop, because each field that is looked up by its name is searched for among all.
    for field in fields {
      if isOurs(field.name) {
        if field.name == .connection, field.value.lowercased() == "close" { said.isLast = true }
        continue
      }
      switch field.name.rawName.utf8.count {
      case 4: if field.name == .date { said.hasDate = true }
      case 7: if field.name == .upgrade { said.hasUpgrade = true }
      default: break
      }
      append(field, to: &bytes)
    }
    return said
  }

  /// The field that says where a body ends.
  static func append(_ framing: BodyFraming, to bytes: inout BytesBuilder) {
    switch framing {
    case .none: break
    case .length(let count):
      bytes.append(literal: "content-length: ")
      bytes.append(decimal: count)
      bytes.append(literal: "\r\n")
    case .chunked: bytes.append("transfer-encoding: chunked\r\n")
    }
  }

  static func append(_ field: HTTPField, to bytes: inout BytesBuilder) {
    bytes.append(field.name.rawName)
    bytes.append(literal: ": ")
    field.withUnsafeBytesOfValue { bytes.append(UnsafeRawBufferPointer($0)) }
    bytes.append(literal: "\r\n")
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

extension BytesBuilder {
  /// Appends text of the program, which needs no string.
  fileprivate mutating func append(literal text: StaticString) {
    text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
  }
}

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
