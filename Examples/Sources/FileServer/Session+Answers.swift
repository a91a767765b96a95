import UV

/// The answers.
extension Session {
  /// Answers a request.
  func answer(_ head: Bytes) async throws(UVError) {
    isLast = connection.isQuiescing || connection.loop.now >= lifetimeEnd
    let content: Site.Content
    var request: RequestHead?
    do throws(Status) {
      let head = try RequestHead(head)
      request = head
      if !head.keepsAlive { isLast = true }
      content = try await site.content(head.path)
    } catch {
      // After a request that can't be understood nobody knows where the next one begins.
      if error != .notFound, error != .forbidden { isLast = true }
      return fail(error, sendsBody: request?.isHead != true)
    }
    guard let request else { return }
    switch content {
    case .page(let page): try await answer(request, page)
    case .redirection(let path):
      begin(.movedPermanently)
      field("location", path)
      endHead(length: 0)
    case .listing(let page):
      begin(.ok)
      field("content-type", "text/html; charset=utf-8")
      endHead(length: page.count)
      if !request.isHead { output.append(page) }
    }
  }

  private func answer(_ request: RequestHead, _ page: Page) async throws(UVError) {
    if request.conditions.isNotModified(page) {
      begin(.notModified)
      output.append(page.fields)
      return endHead()
    }
    if let field = request.range, request.conditions.allowsRanges(page),
      let ranges = ByteRanges.parse(field, size: page.size)
    {
      return try await answer(request, page, ranges)
    }
    output.append(page.head)
    endHead()
    if !request.isHead { try await send(page, 0..<page.size) }
  }

  /// Answers with parts of a file.
  private func answer(_ request: RequestHead, _ page: Page, _ ranges: [Range<Int>]) async throws(UVError) {
    guard let range = ranges.first else {
      begin(.rangeNotSatisfiable)
      field("content-range", Bytes("bytes */\(page.size)"))
      return endHead(length: 0)
    }
    begin(.partialContent)
    output.append(page.fields)
    if ranges.count == 1 {
      field("content-type", page.type)
      field("content-range", Self.contentRange(range, of: page))
      endHead(length: range.count)
      if !request.isHead { try await send(page, range) }
      return
    }
    // Several parts, each with a head of its own. A boundary that nobody can guess can't be in a file on
    // purpose.
    let boundary = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let heads = ranges.map { range in
      Bytes(
        "\r\n--\(boundary)\r\ncontent-type: \(page.type)\r\ncontent-range: \(Self.contentRange(range, of: page))\r\n\r\n"
      )
    }
    let end = Bytes("\r\n--\(boundary)--\r\n")
    field("content-type", Bytes("multipart/byteranges; boundary=\(boundary)"))
    endHead(length: zip(heads, ranges).reduce(end.count) { $0 + $1.0.count + $1.1.count })
    if request.isHead { return }
    for (head, range) in zip(heads, ranges) {
      output.append(head)
      try await send(page, range)
    }
    output.append(end)
  }

  private static func contentRange(_ range: Range<Int>, of page: Page) -> Bytes {
    Bytes("bytes \(range.lowerBound)-\(range.upperBound - 1)/\(page.size)")
  }

  /// Sends bytes of a file. Those that aren't in memory go from the file to the connection inside the system,
  /// or, if they have to be encrypted, through this process a part at a time.
  private func send(_ page: Page, _ range: Range<Int>) async throws(UVError) {
    switch page.content {
    case .bytes(let bytes):
      output.append(range.count == bytes.count ? bytes : Bytes(bytes[range]))
    case .file(let file):
      try await flush()
      let count = try await limited(
        range.count, connection.sendfile(file, from: Int64(range.lowerBound), count: range.count))
      // The file has become shorter. The client has been promised more, so the connection has to break off.
      if count < range.count { throw UVError(.endOfFile, operation: "sendfile", subject: "\(page.path)") }
    }
  }

  /// Answers with an error.
  func fail(_ status: Status, sendsBody: Bool = true) {
    let body = Bytes("\(status.rawValue) \(status.reason)\n")
    begin(status)
    field("content-type", "text/plain; charset=utf-8")
    if status == .methodNotAllowed { field("allow", "GET, HEAD") }
    if status == .serviceUnavailable { field("retry-after", "1") }
    endHead(length: body.count)
    if sendsBody { output.append(body) }
  }

  // MARK: Heads

  private func begin(_ status: Status) {
    output.append("HTTP/1.1 ")
    output.append(decimal: status.rawValue)
    output.append(" ")
    output.append(status.reason)
    output.append("\r\n")
  }

  private func field(_ name: Bytes, _ value: Bytes) {
    output.append(name)
    output.append(": ")
    output.append(value)
    output.append("\r\n")
  }

  private func endHead(length: Int) {
    output.append("content-length: ")
    output.append(decimal: length)
    output.append("\r\n")
    endHead()
  }

  private func endHead() {
    output.append(site.commonFields)
    output.append(isLast ? "connection: close\r\n\r\n" : "\r\n")
  }
}
