import UVHTTP

/// Our server and our client.
enum UVPeer {
  static func serve() throws {
    try EventLoop.run { loop in
      let server = try loop.http.listen(host: "127.0.0.1", port: 0)
      announce(try server.localAddress().port)
      for try await exchange in server { loop.spawn { await answer(exchange) } }
    }
  }

  /// An exchange whose body is wrong is dropped, and so is answered with the body's status.
  private nonisolated(nonsending) static func answer(_ exchange: HTTPExchange) async {
    let request = exchange.request
    var report = Report(request.method.rawValue, request.path ?? "")
    report.host = request.authority ?? ""
    report.fields = fields(request.headerFields)
    do {
      report.body = Array(try await exchange.body.readToEnd(limit: 1 << 20).value)
      report.trailers = fields(exchange.body.trailers)
      var response = HTTPResponse(status: request.method == .connect ? .forbidden : .ok)
      response.headerFields[HTTPField.Name("x-report")!] = report.text
      try await exchange.respond(response).value
    } catch {}
  }

  /// Asks for each URL that comes.
  static func ask() {
    EventLoop.run { loop in
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        announce(await answer(loop, words[0], words[1]))
      }
    }
  }

  /// Each request has a client of its own, so that no connection is used again.
  private nonisolated(nonsending) static func answer(
    _ loop: EventLoop, _ method: String, _ url: String
  ) async -> String {
    let client = HTTPClient(loop)
    var text: String
    do {
      let request = HTTPRequest(method: HTTPRequest.Method(method)!, url: url)!
      let answer = try await client.send(request).value
      var report = Report("\(answer.status.code)")
      report.fields = fields(answer.headerFields)
      report.body = Array(try await answer.body.readToEnd(limit: 1 << 20).value)
      report.trailers = fields(answer.body.trailers)
      text = report.text
    } catch { text = "refused \(error)" }
    try? await client.close().value
    return text
  }

  private static func fields(_ fields: HTTPFields) -> [(String, [UInt8])] {
    fields.map { field in (field.name.rawName, field.withUnsafeBytesOfValue { Array($0) }) }
  }
}
