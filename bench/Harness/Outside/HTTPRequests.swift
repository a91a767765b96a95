/// What a server by HTTP is asked for, one request after the other.
struct HTTPRequests: Sendable {
  struct Request: Hashable, Sendable {
    var method: String
    /// Nil for that of the URL.
    var target: String?
    var body: [UInt8] = []
  }

  var requests: [Request]
  /// Names and values, the same for all.
  var headers: [(name: String, value: String)]

  init(requests: [Request], headers: [String]) throws {
    self.requests = requests
    self.headers = try headers.map { line in
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex, !line.contains(where: \.isNewline),
        !line[..<colon].contains(where: \.isWhitespace)
      else { throw UsageError("--header \(line): write it as 'Name: value'") }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
    for request in requests { try Self.check(request) }
  }

  private static func check(_ request: Request) throws {
    guard !request.method.isEmpty, request.method.allSatisfy({ $0.isASCII && $0.isUppercase }) else {
      throw UsageError("`\(request.method)` is no method of HTTP, such as GET or POST")
    }
    guard !["HEAD", "CONNECT"].contains(request.method) else {
      throw UsageError("\(request.method) can't be asked for: its answers end otherwise than others")
    }
    guard let target = request.target else { return }
    guard target.hasPrefix("/"), !target.contains(where: \.isWhitespace) else {
      throw UsageError("`\(target)` is no path of a request; it begins with /")
    }
  }

  /// Those of a file: `METHOD PATH` on each line, and a body behind it, if there is one, or `@FILE` with the body. Empty lines and what
  /// begins with # are left out.
  static func list(_ text: String, read: (String) throws -> [UInt8]) throws -> [Request] {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains { !$0.isWhitespace } }
    guard !lines.isEmpty else { throw UsageError("the list of requests is empty") }
    return try lines.map { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count > 1 else {
        throw UsageError("`\(line)` is no request: write METHOD PATH, and a body if there is one")
      }
      let body = words.count > 2 ? words[2] : ""
      return Request(
        method: words[0], target: words[1],
        body: body.hasPrefix("@") ? try read(String(body.dropFirst())) : Array(body.utf8))
    }
  }

  /// The bytes of each, for a server at `authority`; `target` is that of the URL.
  func bytes(target: String, authority: String) -> [[UInt8]] {
    requests.map { request in
      var fields = headers
      func add(_ name: String, _ value: String) {
        if !fields.contains(where: { $0.name.lowercased() == name.lowercased() }) {
          fields.append((name, value))
        }
      }
      add("Host", authority)
      add("User-Agent", "uvbench")
      add("Accept", "*/*")
      if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
        add("Content-Length", "\(request.body.count)")
      }
      let head = "\(request.method) \(request.target ?? target) HTTP/1.1\r\n"
      return Array((head + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n").utf8)
        + request.body
    }
  }

  /// As the load generator reads them.
  func hexadecimal(target: String, authority: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return bytes(target: target, authority: authority).map { bytes in
      String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }.joined(separator: ",")
  }
}
