import UVHTTP
import UVSimulation

/// How a server ends a request.
private enum Ending: CaseIterable {
  case answered, last, closed, reset, halfHead, halfBody
}

/// A client with a pool asks a server that closes connections which are idle, at about the time when the next request
/// comes, and in one world of two breaks off others in place of an answer. A GET is sent again; a POST is
/// handed out once at most, and each answer is the right one.
func httpRepeats(_ world: World, _ ledger: Ledger) throws {
  let breaksOff = world.random(below: 2) == 0
  if !breaksOff { world.setWeather(world.weather.withoutLongWaits) }
  let idle = Duration.milliseconds(Int64(breaksOff ? 50 + world.random(below: 500) : 5000))
  let (handed, isOver) = (Shared<[Int: Int]>([:]), Shared(false))
  world.node("server") { loop in
    let listener = try loop.tcp.listen(port: 7)
    var serving: [LoopTask<Void, any Error>] = []
    func answer(_ stream: TCPConnection, _ ending: Ending) async throws -> Bool {
      guard let head = try await stream.read(until: "\r\n\r\n", limit: 1000).value else { return false }
      let words = String(decoding: head, as: UTF8.self).split { " /\r\n".contains($0) }
      guard words.count > 1, let number = Int(words[1]) else { throw Violation("no request: \(head)") }
      let isPost = words[0] == "POST"
      // A number and no more.
      if isPost, try await stream.read(exactly: 4).value != Bytes("body") { throw Violation("another body") }
      handed.value[number, default: 0] += 1
      if isPost, handed.value[number]! > 1 { ledger.complain("the POST \(number) comes twice") }
      if loop.isDrawn(oneIn: 3) { try await loop.dawdle() }
      let body = "answer \(number)"
      let fields = ending == .last ? "Connection: close\r\n" : ""
      let text = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      switch ending {
      case .answered, .last: try await stream.write(Bytes(text)).value
      case .closed: break
      case .reset: stream.closeReset()
      case .halfHead: try await stream.write(Bytes(String(text.prefix(20)))).value
      case .halfBody: try await stream.write(Bytes(String(text.dropLast(3)))).value
      }
      return ending == .answered
    }
    let accepting = loop.spawn { () async throws in
      for try await stream in listener {
        stream.readTimeout = idle
        serving.append(
          loop.spawn { () async throws in
            defer { stream.close() }
            do {
              var goesOn = true
              while goesOn {
                let endings: [Ending] = breaksOff && loop.isDrawn(oneIn: 3) ? Ending.allCases : [.answered]
                goesOn = try await answer(stream, endings[loop.draw(endings.count)])
              }
            } catch is UVError {}
          })
      }
    }
    while !isOver.value { try await loop.sleep(for: .milliseconds(20)).value }
    listener.close()
    try await accepting.value
    for task in serving { try await task.value }
  }
  world.node("client") { loop in
    defer { isOver.value = true }
    var options = HTTPClientOptions.patient
    options.connections.resources = 1 + loop.draw(3)
    options.connecting = RetryPolicy(attempts: 100, backoff: .constant(.milliseconds(50)))
    let client = HTTPClient(loop, options: options)
    let policy = RetryPolicy(attempts: 1000, backoff: .constant(.milliseconds(10)))
    var attempts = 0
    func ask(_ number: Int, _ isPost: Bool) async throws -> Bytes {
      attempts += 1
      let request = HTTPRequest(method: isPost ? .post : .get, url: "http://server:7/\(number)")!
      let answer = try await Request<HTTPClientResponse>(loop) { done in
        client.send(request, body: Bytes(isPost ? "body" : ""), ledger.ask("request \(number)", done))
      }.value
      return try await answer.body.readToEnd(limit: 100).value
    }
    try await loop.withTasks(limit: 4) { tasks in
      for number in 0..<40 {
        let isPost = loop.isDrawn(oneIn: 2)
        try await tasks.spawn {
          let expected = Bytes("answer \(number)")
          do {
            let answer =
              isPost
              ? try await ask(number, true) : try await loop.retry(policy) { try await ask(number, false) }
            try expect(answer == expected, "another answer to \(number): \(answer)")
            try expect(handed.value[number, default: 0] > 0, "an answer to \(number), which nobody has given")
          } catch let error as UVError {
            // A GET is tried until it has an answer.
            let codes: [UVError.Code] = [
              .endOfFile, .connectionReset, .connectionAborted, .brokenPipe, .notConnected,
            ]
            try expect(isPost && codes.contains(error.code), "\(isPost ? "POST" : "GET") \(number): \(error)")
          }
        }
        // Close to when the server ends an idle connection.
        if loop.isDrawn(oneIn: 3) {
          let wait = idle + .microseconds(Int64(loop.draw(200_000) - 100_000))
          try await loop.sleep(for: wait).value
        }
      }
    }
    try expect(breaksOff || attempts == 40, "\(attempts - 40) requests weren't sent again by the client")
    try await client.close().value
  }
}
