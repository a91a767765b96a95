#if Everything
import Testing
import UVFutures
import UVPromises
import UVTestSupport

@testable import UVHTTP

/// Programs that want to know whether anybody waits for their answer.
@Suite struct ClientGoneTests {
  enum Style: CaseIterable { case callback, request, promise, publisher, task }
  enum Going: CaseIterable { case ends, resets }

  private static let ok = HTTPResponse(status: .ok)
  private static let get: Bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  /// Waits until the client has gone, and returns the error if there is one.
  private nonisolated(nonsending) static func gone(
    _ exchange: HTTPExchange, _ style: Style
  ) async -> UVError.Code? {
    let loop = exchange.loop
    let end = Log<UVError.Code?>()
    switch style {
    case .callback: exchange.clientGone { end.append($0.error?.code) }
    case .request: exchange.clientGone().start { end.append($0.error?.code) }
    case .promise:
      exchange.clientGone().promise().done { end.append(nil) }.catch(policy: .allErrors) {
        end.append(($0 as? UVError)?.code)
      }
    case .publisher:
      let waiting = exchange.clientGone().publisher().sink {
        if case .failure(let error) = $0 { end.append(error.code) } else { end.append(nil) }
      } receiveValue: { _ in
      }
      try? await loop.until { !end.values.isEmpty }
      waiting.cancel()
    case .task: return await failure { try await exchange.clientGone().value }?.code
    }
    try? await loop.until { !end.values.isEmpty }
    return end.values.first ?? nil
  }

  @Test(
    "A program hears in each style that its client has gone, over TCP and TLS", arguments: Style.allCases,
    Going.allCases)
  func styles(style: Style, going: Going) async throws {
    for secure in [false, true] {
      let (isThere, ends) = (Log<Bool>(), Log<UVError.Code?>())
      try await serveEach(secure: secure) { exchange in
        isThere.append(true)
        ends.append(await Self.gone(exchange, style))
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write(Self.get).value
        try await loop.until { !isThere.values.isEmpty }
        try await loop.settle()
        #expect(ends.values.isEmpty)
        if going == .ends { stream.close() } else { stream.cutOff() }
        try await loop.until { !ends.values.isEmpty }
        #expect(ends.values == [nil])
      }
    }
  }

  @Test("A waiter hears of the answer, too, and of an exchange that was dropped", arguments: Style.allCases)
  func answered(style: Style) async throws {
    for drops in [false, true] {
      let ends = Log<UVError.Code?>()
      try await serveEach { exchange in
        let waiting = exchange.clientGone()
        exchange.loop.spawn {
          let error = await failure { try await waiting.value }
          ends.append(error?.code)
        }
        if drops { return }
        exchange.loop.sleep(for: .milliseconds(1)) { _ in exchange.respond(Self.ok) { _ in } }
        ends.append(await Self.gone(exchange, style))
      } client: { loop, connect in
        let stream = try await connect()
        try await stream.write(Self.get).value
        try await loop.until { ends.values.count == (drops ? 1 : 2) }
        #expect(ends.values.allSatisfy { $0 == .cancelled })
        stream.close()
      }
    }
  }

  @Test("A waiter that leaves hears nothing, and an answered request says so at once")
  func cancelled() async throws {
    let ends = Log<UVError.Code?>()
    try await serveEach { exchange in
      exchange.clientGone { ends.append($0.error?.code) }.cancel()
      try? await exchange.respond(Self.ok).value
      ends.append(await failure { try await exchange.clientGone().value }?.code)
    } client: { loop, connect in
      let stream = try await connect()
      try await stream.write(Self.get).value
      try await loop.until { ends.values.count == 2 }
      #expect(ends.values == [.cancelled, .cancelled])
      stream.close()
    }
  }

  @Test(
    "The task of a client that has gone is cancelled, and its place is free for the next client",
    arguments: [
      false, true,
    ])
  func task(secure: Bool) async throws {
    var limits = HTTPLimits()
    limits.connections = 2
    let (isThere, errors) = (Log<Bool>(), Log<UVError.Code?>())
    try await serveEach(limits, secure: secure) { exchange in
      if exchange.request.path == "/next" { return _ = try? await exchange.respond(Self.ok, "here").value }
      isThere.append(true)
      let loop = exchange.loop
      do {
        try await exchange.whileClientIsThere {
          try await loop.sleep(for: .seconds(3600)).value
          try await exchange.respond(Self.ok).value
        }
      } catch { errors.append((error as? UVError)?.code) }
    } client: { loop, connect in
      let streams = [try await connect(), try await connect()]
      for stream in streams { try await stream.write(Self.get).value }
      try await loop.until { isThere.values.count == 2 }
      for stream in streams { stream.close() }
      let next = try await connect()
      try await next.write("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").value
      #expect("\(try await next.readToEnd(limit: 1000).value)".hasSuffix("here"))
      next.close()
      #expect(errors.values == [.brokenPipe, .brokenPipe])
    }
  }

  @Test("A body that ends in time is as it is, whatever it throws")
  func inTime() async throws {
    struct Mine: Error {}
    let outcomes = Log<String>()
    try await serveEach { exchange in
      let value = try? await exchange.whileClientIsThere { 7 }
      outcomes.append("\(value ?? 0)")
      do { try await exchange.whileClientIsThere { throw Mine() } } catch { outcomes.append("\(error)") }
      try? await exchange.respond(Self.ok).value
    } client: { loop, connect in
      let stream = try await connect()
      try await stream.write(Self.get).value
      try await loop.until { outcomes.values.count == 2 }
      #expect(outcomes.values == ["7", "Mine()"])
      _ = try await stream.next().value
      stream.close()
    }
  }

  @Test("Interim answers leave before the final one, each in its turn, and none to HTTP/1.0")
  func interim() async throws {
    let errors = Log<UVError.Code?>()
    try await serveEach { exchange in
      var hints = HTTPResponse(status: .earlyHints)
      hints.headerFields[HTTPField.Name("Link")!] = "<\(exchange.request.path ?? "")>"
      for status in [100, 101, 200] {
        let response = HTTPResponse(status: .init(code: status))
        errors.append(await failure { try await exchange.inform(response).value }?.code)
      }
      let hinting = exchange.loop.spawn { try await exchange.inform(hints).value }
      try? await exchange.loop.sleep(for: .milliseconds(exchange.request.path == "/1" ? 5 : 1)).value
      try? await exchange.respond(Self.ok, "x").value
      try? await hinting.value
      errors.append(await failure { try await exchange.inform(hints).value }?.code)
    } client: { loop, connect in
      for (version, hints) in [("1.1", 1), ("1.0", 0)] {
        let stream = try await connect()
        let two = ["/1", "/2"].map {
          "GET \($0) HTTP/\(version)\r\nHost: a\r\nConnection: keep-alive\r\n\r\n"
        }
        try await stream.write(Bytes(two.joined())).value
        var lines: [String] = []
        while lines.count(where: { $0 == "x" }) < 2, let line = try await stream.readLine(limit: 100).value {
          let text = "\(line)"
          lines += text.hasPrefix("x") ? ["x"] : [text]
          if text.hasPrefix("xHTTP") { lines.append(String(text.dropFirst())) }
          if lines.count(where: { $0.hasPrefix("HTTP/1.1 200") }) == 2, text.isEmpty { break }
        }
        let heads = lines.filter { $0.hasPrefix("HTTP/") || $0.hasPrefix("Link") }
        let each = { (path: String) in
          Array(["HTTP/1.1 103 Early Hints", "Link: <\(path)>"].prefix(2 * hints)) + ["HTTP/1.1 200 OK"]
        }
        #expect(heads == each("/1") + each("/2"))
        stream.close()
      }
      #expect(errors.values.count(where: { $0 == .invalidArgument }) == 12)
      #expect(errors.values.count(where: { $0 == .alreadyInProgress }) == 4)
    }
  }

  @Test("A connection that has lasted long enough ends between two requests, whatever its client does")
  func life() async throws {
    var limits = HTTPLimits()
    (limits.lifetime, limits.idleTimeout) = (.milliseconds(30), .seconds(3600))
    let hasStarted = Log<Bool>()
    try await serveEach(limits) { exchange in
      guard let writer = try? exchange.begin(Self.ok) else { return }
      hasStarted.append(true)
      // The answer under way isn't cut off.
      for _ in 0..<20 {
        try? await writer.write("x").value
        try? await exchange.loop.sleep(for: .milliseconds(3)).value
      }
      try? await writer.finish().value
    } client: { loop, connect in
      let (silent, busy) = (try await connect(), try await connect())
      try await busy.write(Self.get).value
      #expect(try await silent.readToEnd(limit: 1000).value.isEmpty)
      let text = "\(try await busy.readToEnd(limit: 10_000).value)"
      #expect(
        text.hasSuffix("\r\n0\r\n\r\n") && text.split(separator: "\r\n").count(where: { $0 == "x" }) == 20)
      silent.close()
      busy.close()
    }
  }
}
#endif
