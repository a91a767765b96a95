import ArgumentParser

/// What servers by HTTP are asked for, if that is more than GET of an URL.
struct RequestOptions: ParsableArguments {
  @Option(help: "The method of the requests by HTTP. (default: GET, or POST with a body)")
  var method: String?

  @Option(
    help: ArgumentHelp(
      "A field of each request's head, such as 'Accept-Encoding: gzip'. Repeatable.", valueName: "field"))
  var header: [String] = []

  @Option(
    help: ArgumentHelp(
      "The body of the requests, or @FILE for what is in a file.", valueName: "body or @file"))
  var body: String?

  @Option(
    help: ArgumentHelp(
      "A file of requests that are asked for in turn, METHOD PATH on each line, and behind it a body or @FILE.",
      valueName: "file"))
  var requests: String?

  var isGiven: Bool { method != nil || !header.isEmpty || body != nil || requests != nil }

  /// The requests; nil for what the URL alone says.
  func read() throws -> HTTPRequests? {
    guard isGiven else { return nil }
    if let requests {
      guard method == nil, body == nil else {
        throw UsageError("--requests excludes --method and --body: each of its lines has them")
      }
      return try HTTPRequests(
        requests: HTTPRequests.list(
          String(decoding: Self.bytes(of: requests), as: UTF8.self), read: Self.bytes(of:)),
        headers: header)
    }
    let bytes = try body.map {
      $0.hasPrefix("@") ? try Self.bytes(of: String($0.dropFirst())) : Array($0.utf8)
    }
    let request = HTTPRequests.Request(method: method ?? (body == nil ? "GET" : "POST"), body: bytes ?? [])
    return try HTTPRequests(requests: [request], headers: header)
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw UsageError("cannot read \(path)")
    }
    return Array(data)
  }

  var arguments: [String] {
    header.flatMap { ["--header", $0] }
      + [("--method", method), ("--body", body), ("--requests", requests)]
      .flatMap { name, value in value.map { [name, $0] } ?? [] }
  }
}
