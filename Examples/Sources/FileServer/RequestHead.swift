import UV

/// The head of a request, as far as this server cares: the first line, and a few fields.
///
/// It is strict, because a proxy before the server may understand sloppy requests in another way, and take a
/// part of one for the next. What isn't as HTTP/1.1 says is a bad request, and the connection ends after the
/// answer.
struct RequestHead {
  /// The path as it was sent, without the query.
  private(set) var path = Bytes()
  /// Whether the client wants the head of the answer only.
  private(set) var isHead = false
  /// Whether the connection goes on after the answer.
  private(set) var keepsAlive = true
  private(set) var range: Bytes?
  private(set) var conditions = Conditions()
  private var hasHost = false

  /// Understands the bytes before the empty line.
  init(_ head: Bytes) throws(Status) {
    let bytes = head.span
    let count = bytes.count
    var position = 0
    // A client may send an empty line before its request.
    while position < count, bytes[position] == .carriageReturn || bytes[position] == .lineFeed {
      position += 1
    }
    let method = position
    while position < count, bytes[position].isToken { position += 1 }
    let methodEnd = position
    position += 1
    let target = position
    while position < count, bytes[position] > .space, bytes[position] < 0x7f { position += 1 }
    guard target < position, bytes[methodEnd] == .space, count - position >= 9, bytes[position] == .space
    else {
      throw .badRequest
    }
    let isVersion1 = head.bigEndian(UInt64.self, at: position + 1) >> 8 == 0x48_5454_502f_312e  // HTTP/1.
    let minorVersion = bytes[position + 8]
    guard isVersion1, 0x30...0x39 ~= minorVersion else { throw .versionNotSupported }
    // An older client would have to ask for more than one answer.
    if minorVersion == 0x30 { keepsAlive = false }
    path = try Self.path(of: Bytes(head[target..<position]))
    position += 9
    while position < count { position = try readField(head, bytes, position) }
    // A later version may say otherwise.
    guard hasHost || minorVersion == 0x30 else { throw .badRequest }
    switch Bytes(head[method..<methodEnd]) {
    case "GET": break
    case "HEAD": isHead = true
    default: throw .methodNotAllowed
    }
  }

  /// Reads a field that begins at the end of the line before it. Returns the end of its own line.
  private mutating func readField(_ head: Bytes, _ bytes: Span<UInt8>, _ end: Int) throws(Status) -> Int {
    let count = bytes.count
    guard end + 2 < count, bytes[end] == .carriageReturn, bytes[end + 1] == .lineFeed else {
      throw .badRequest
    }
    let name = end + 2
    var position = name
    while position < count, bytes[position].isToken { position += 1 }
    let nameEnd = position
    // So a line that goes on with the one before it is refused, and a space before the colon, too.
    guard name < nameEnd, position < count, bytes[position] == UInt8(ascii: ":") else { throw .badRequest }
    position += 1
    while position < count, bytes[position].isBlank { position += 1 }
    let value = position
    while position < count, bytes[position] >= .space || bytes[position] == .tab, bytes[position] != 0x7f {
      position += 1
    }
    var valueEnd = position
    while valueEnd > value, bytes[valueEnd - 1].isBlank { valueEnd -= 1 }
    // Most fields don't matter here. The first look is at the length of the name.
    if 1 << (nameEnd - name) & Self.lengths != 0 {
      try take(Bytes(head[name..<nameEnd]), Bytes(head[value..<valueEnd]))
    }
    return position
  }

  /// The lengths of the names below, a bit for each.
  private static let lengths = 1 << 4 | 1 << 5 | 1 << 8 | 1 << 10 | 1 << 13 | 1 << 14 | 1 << 17

  private mutating func take(_ name: Bytes, _ value: Bytes) throws(Status) {
    if name.isField("host") {
      if hasHost { throw .badRequest }
      hasHost = true
    } else if name.isField("connection") {
      for option in value.split(separator: UInt8(ascii: ",")) {
        if Bytes(option).trimmed.isField("close") { keepsAlive = false }
      }
    } else if name.isField("content-length") {
      // A body isn't read. After the answer nobody knows where the next request begins.
      guard let length = value.number else { throw .badRequest }
      if length > 0 { keepsAlive = false }
    } else if name.isField("transfer-encoding") {
      keepsAlive = false
    } else if name.isField("range") {
      range = value
    } else if name.isField("if-range") {
      conditions.ifRange = value
    } else if name.isField("if-none-match") {
      conditions.ifNoneMatch = value
    } else if name.isField("if-modified-since") {
      conditions.ifModifiedSince = value
    }
  }

  /// The path of `/path?query`, or of `http://host/path?query`.
  private static func path(of target: Bytes) throws(Status) -> Bytes {
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
    if target[0] == UInt8(ascii: "/") { return end == target.count ? target : Bytes(target[..<end]) }
    guard let colon = target.firstRange(of: "://"), colon.upperBound < end,
      let slash = Bytes(target[colon.upperBound..<end]).firstIndex(of: UInt8(ascii: "/"))
    else { throw .badRequest }
    return Bytes(target[colon.upperBound + slash..<end])
  }
}
