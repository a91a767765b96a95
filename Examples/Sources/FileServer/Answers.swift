import UVHTTP

/// The answers.
extension Site {
  /// Answers a request.
  func answer(_ exchange: HTTPExchange) async throws(UVError) {
    let request = exchange.request
    let content: Content
    do throws(Failure) {
      guard request.method == .get || request.method == .head else { throw Failure(.methodNotAllowed) }
      content = try await self.content(request.path ?? "/")
    } catch { return try await exchange.respond(error.response, error.body).value }
    switch content {
    case .page(let page): try await answer(exchange, page, request.headerFields)
    case .redirection(let path):
      try await exchange.respond(.plain(.movedPermanently, [.location: path])).value
    case .listing(let page):
      try await exchange.respond(.plain(.ok, [.contentType: "text/html; charset=utf-8"]), page).value
    }
  }

  private func answer(_ exchange: HTTPExchange, _ page: Page, _ fields: HTTPFields) async throws(UVError) {
    if exchange.bodyLength == 0, !fields.haveConditions, case .bytes(let bytes) = page.content {
      return try await exchange.respond(page.head, bytes).value
    }
    var response = page.response
    // A body isn't wanted, and not waited for.
    if exchange.bodyLength != 0 { response.headerFields[.connection] = "close" }
    if fields.allowNotModified(page) {
      response.status = .notModified
      response.headerFields[.contentType] = nil
      return try await exchange.respond(response).value
    }
    guard let ranges = fields.ranges(of: page) else {
      return try await send(exchange, response, page, 0..<page.size)
    }
    switch ranges.count {
    case 0:
      response = .plain(.rangeNotSatisfiable, [.contentRange: "bytes */\(page.size)"])
      try await exchange.respond(response).value
    case 1:
      response.status = .partialContent
      response.headerFields[.contentRange] = page.name(of: ranges[0])
      try await send(exchange, response, page, ranges[0])
    default:
      response.status = .partialContent
      try await send(exchange, response, page, ranges)
    }
  }

  /// Answers with bytes of a file. Those that aren't in memory go from the file to the connection inside the
  /// system, or, if they have to be encrypted, through this process a part at a time.
  private func send(
    _ exchange: HTTPExchange, _ response: HTTPResponse, _ page: Page, _ range: Range<Int>
  ) async throws(UVError) {
    switch page.content {
    case .bytes(let bytes): try await exchange.respond(response, Bytes(bytes[range])).value
    case .file(let file):
      try await exchange.respond(response, file: file, from: Int64(range.lowerBound), count: range.count)
        .value
    }
  }

  /// Answers with several parts of a file, each with a head of its own. A boundary that nobody can guess can't
  /// be in a file on purpose.
  private func send(
    _ exchange: HTTPExchange, _ response: HTTPResponse, _ page: Page, _ ranges: [Range<Int>]
  ) async throws(UVError) {
    let boundary = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let heads = ranges.map { range in
      Bytes(
        "\r\n--\(boundary)\r\ncontent-type: \(page.type)\r\ncontent-range: \(page.name(of: range))\r\n\r\n")
    }
    let end = Bytes("\r\n--\(boundary)--\r\n")
    var response = response
    response.headerFields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
    let length = zip(heads, ranges).reduce(end.count) { $0 + $1.0.count + $1.1.count }
    let writer = try exchange.begin(response, length: length)
    if exchange.request.method != .head {
      for (head, range) in zip(heads, ranges) {
        try await writer.write(head).value
        try await page.copy(range, to: writer)
      }
      try await writer.write(end).value
    }
    try await writer.finish().value
  }
}

extension Page {
  /// How a part of the file is named in its head.
  fileprivate func name(of range: Range<Int>) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
  }

  fileprivate func copy(_ range: Range<Int>, to writer: HTTPResponseWriter) async throws(UVError) {
    switch content {
    case .bytes(let bytes): try await writer.write(Bytes(bytes[range])).value
    case .file(let file):
      var rest = range
      while !rest.isEmpty {
        let part = try await file.read(min(rest.count, 64 * 1024), at: Int64(rest.lowerBound)).value
        // The file has become shorter. The client has been promised more, so the connection breaks off.
        if part.isEmpty { throw UVError(.endOfFile, operation: "read") }
        try await writer.write(part).value
        rest = rest.lowerBound + part.count..<rest.upperBound
      }
    }
  }
}

extension HTTPResponse {
  /// A head with the field that all answers have: a browser may not guess at another type than they say.
  static func plain(_ status: Status, _ fields: HTTPFields) -> HTTPResponse {
    var response = HTTPResponse(status: status, headerFields: fields)
    response.headerFields[.xContentTypeOptions] = "nosniff"
    return response
  }
}
