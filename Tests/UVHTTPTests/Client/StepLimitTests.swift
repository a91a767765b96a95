#if Everything
import Testing
import UV
import UVTestSupport

@testable import UVHTTP

/// Each limit of a client counts in its own steps of a request, and in no other.
@Suite struct StepLimitTests {
  /// The step that takes long.
  enum Step: CaseIterable {
    /// The body of the request comes late.
    case upload
    /// The server says nothing before its head, or sends that bit by bit.
    case silentHead, slowHead
    /// The same of the answer's body.
    case silentBody, slowBody
    /// The program doesn't ask for the body.
    case reader
  }

  enum Limit: CaseIterable {
    case head, idle, total

    func counts(in step: Step) -> Bool {
      switch self {
      case .head: [.silentHead, .slowHead].contains(step)
      case .idle: [.silentHead, .silentBody].contains(step)
      case .total: true
      }
    }
  }

  /// How long the step takes in all, how long it is silent at a time if it goes on bit by bit, and the limit.
  private static let (whole, gap, length) = (
    Duration.milliseconds(600), Duration.milliseconds(30), Duration.milliseconds(250)
  )

  @Test("Of a step that takes long, the limits that count there end the request, and no others")
  func each() async throws {
    try await withLoop { loop in
      // All at once, since they wait.
      let all = Step.allCases.flatMap { step in Limit.allCases.map { (step, $0) } }
      let tasks = all.map { step, limit in
        loop.spawn { () async throws in try await self.error(of: step, limit, loop) }
      }
      for ((step, limit), task) in zip(all, tasks) {
        let error = try await task.value
        #expect(
          error.map { $0.code == .timedOut } ?? false == limit.counts(in: step),
          "\(step) with a limit of \(limit): \(error.map { "\($0)" } ?? "an answer")")
      }
    }
  }

  /// The error of a request; nil if it has its whole answer.
  private nonisolated(nonsending) func error(of step: Step, _ limit: Limit, _ loop: EventLoop) async throws
    -> UVError?
  {
    let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
    let serving = loop.spawn { () async throws in try await self.serve(listener.accept().value, step) }
    var options = HTTPClientOptions()
    switch limit {
    case .head: options.headTimeout = Self.length
    case .idle: options.idleTimeout = Self.length
    case .total: options.total = Self.length
    }
    let client = HTTPClient(loop, options: options)
    let request = HTTPRequest(
      method: .post, url: "http://127.0.0.1:\(try listener.localAddress().port)/")!
    defer {
      serving.cancel()
      listener.close()
      client.close()
    }
    do throws(UVError) {
      let answer: HTTPClientResponse
      if step == .upload {
        let body = CustomSource<Bytes>(loop, "body") { _ in }
        loop.sleep(for: Self.whole) { _ in
          body.send("late")
          body.finish()
        }
        answer = try await client.send(request, body: body).value
      } else {
        answer = try await client.send(request).value
      }
      if step == .reader { try await loop.sleep(for: Self.whole).value }
      #expect(try await answer.body.readToEnd(limit: 100).value.count == 40)
      return nil
    } catch { return error }
  }

  private nonisolated(nonsending) func serve(_ connection: TCPConnection, _ step: Step) async throws {
    defer { connection.close() }
    let (head, body): (Bytes, Bytes) = (
      "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n", Bytes(repeating: 97, count: 40)
    )
    _ = try await connection.read(until: "\r\n\r\n", limit: 1000).value
    if step == .upload { _ = try await connection.read(until: "\r\n0\r\n\r\n", limit: 1000).value }
    if step == .silentHead { try await connection.loop.sleep(for: Self.whole).value }
    try await write(head, to: connection, slowly: step == .slowHead)
    switch step {
    case .silentBody: try await connection.loop.sleep(for: Self.whole).value
    // The client hasn't all of the body with the head.
    case .reader: try await connection.loop.sleep(for: Self.gap).value
    default: break
    }
    try await write(body, to: connection, slowly: step == .slowBody)
    _ = try await connection.next().value
  }

  private nonisolated(nonsending) func write(_ bytes: Bytes, to connection: TCPConnection, slowly: Bool)
    async throws
  {
    if !slowly { return try await connection.write(bytes).value }
    let count = Int(Self.whole / Self.gap)
    for index in 0..<count {
      let part = bytes[(bytes.count * index / count)..<(bytes.count * (index + 1) / count)]
      try await connection.write(Bytes(part)).value
      try await connection.loop.sleep(for: Self.gap).value
    }
  }
}
#endif
