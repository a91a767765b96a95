// Requests, the library's and one's own, in every style: cancelled, given a time limit, and within expressions.
import UV
import UVFutures
import UVPromises

extension EventLoop {
  fileprivate func countdown(from start: Int) -> Request<String> {
    Request(self) { done in
      var remaining = start
      let ticks = self.ticks(every: .milliseconds(1))
      ticks.start { result in
        if case .failure(let error) = result { return done(.failure(error)) }
        remaining -= 1
        guard remaining == 0 else { return }
        ticks.stop()
        done(.success("lift-off"))
      }
      return PendingRequest {
        ticks.stop()
        done(.failure(UVError(.cancelled, operation: "countdown")))
      }
    }
  }

  fileprivate func nextTurn() -> Request<Void> {
    Request(self) { done in
      self.queueMicrotask { done(.success(())) }
      return PendingRequest()
    }
  }
}

private struct NoNumber: Error { let text: String }

private func number(_ text: String) throws -> Int {
  guard let n = Int(text) else { throw NoNumber(text: text) }
  return n
}

private func sum(_ loop: EventLoop, _ path: String, _ text: String) async throws -> Int {
  let total = try await loop.files.readFile(path).value.count + number(text)
  try await loop.sleep(for: .zero).value
  return total
}

private func choose(_ loop: EventLoop, _ path: String?, _ text: String) async throws -> Int {
  let n = if let path { try await loop.files.readFile(path).value.count } else { try number(text) }
  try await loop.sleep(for: .zero).value
  return n
}

private func kind(_ connection: TCPConnection?) async throws -> String {
  try await connection?.write("x").value
  switch try await connection?.read().value {
  case nil: return "none"
  case .some(let bytes) where bytes.count > 3: return "long"
  case .some: return "short"
  }
}

enum RequestsInEveryStyle: Program {
  static func main() throws {
    try oneRequestInFourStyles()
    try requestsOfOnesOwn()
    try cancellingRequests()
    try timeoutOfARead()
    try valuesInExpressions()
  }

  /// One request is started by a callback, as a promise, as a publisher, and awaited.
  private static func oneRequestInFourStyles() throws {
    var subscriptions: Set<AnyCancellable> = []
    try EventLoop.run { loop in
      let request = loop.files.stat("/")
      let byAwaiting = try await request.value
      print("async/await: \(byAwaiting.type)")
    }
    EventLoop.runCallbacks { loop in
      let request = loop.files.stat("/")
      request.start { result in
        switch result {
        case .success(let status): print("callback: \(status.type)")
        case .failure(let error): print(error)
        }
        request.promise().done { status in
          print("promise: \(status.type)")
          request.publisher()
            .sink(receiveCompletion: { _ in }) { status in print("publisher: \(status.type)") }
            .store(in: &subscriptions)
        }.cauterize()
      }
    }
  }

  /// A request of one's own works in every style, and is mapped, cancelled and timed like the library's.
  private static func requestsOfOnesOwn() throws {
    var subscriptions: Set<AnyCancellable> = []
    try EventLoop.run { loop in
      try await loop.nextTurn().value
      print(try await loop.countdown(from: 2).value)
      print(try await loop.countdown(from: 2).map(\.count).value)
      print(loop.countdown(from: 1).loop === loop)
      do throws(UVError) {
        _ = try await loop.countdown(from: 1_000_000).timeout(after: .milliseconds(10)).value
      } catch {
        print(error.name)
      }
    }
    EventLoop.runCallbacks { loop in
      let pending = loop.countdown(from: 1_000_000).start { print($0) }
      loop.countdown(from: 2).promise().done { print("promise: \($0)") }.cauterize().finally {
        loop.countdown(from: 2).publisher().sink(receiveCompletion: { _ in }) { print("publisher: \($0)") }
          .store(in: &subscriptions)
        loop.countdown(from: 20).future().sink(receiveCompletion: { _ in pending.cancel() }) {
          print("future: \($0)")
        }
        .store(in: &subscriptions)
      }
    }
  }

  /// Pending requests are cancelled: each is told once, and releases what it had.
  private static func cancellingRequests() throws {
    try EventLoop.runCallbacks { loop in
      let (near, far) = try loop.pipes.socketPair()
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let pending: [(String, PendingRequest)] = [
        ("read", near.read { report("read", $0) }),
        ("accept", listener.accept { report("accept", $0) }),
        ("sleep", loop.sleep(for: .untilCancelled) { report("sleep", $0) }),
        ("signal", try loop.signals(.user1).next { report("signal", $0) }),
      ]
      print(pending.map(\.0))
      for (_, request) in pending {
        request.cancel()
        request.cancel()
      }
      // Each has been told by then.
      loop.sleep(for: .zero) { _ in
        near.close()
        far.close()
        listener.close()
      }
    }
  }

  static func report<T>(_ name: String, _ result: Result<T, UVError>) {
    switch result {
    case .success: print("\(name): success")
    case .failure(let error): print("\(name): \(error.isCancelled)")
    }
  }

  /// A read that takes too long is given up by `timeout(after:)`, and the connection is used on.
  private static func timeoutOfARead() throws {
    try EventLoop.run { loop in
      let (near, far) = try loop.pipes.socketPair()
      defer {
        near.close()
        far.close()
      }
      do throws(UVError) {
        _ = try await near.read().timeout(after: .milliseconds(20)).value
      } catch {
        print(error.code == .timedOut ? "too late" : "\(error)")
      }
      try await far.write("late, but here").value
      let bytes = try await near.read().timeout(after: .seconds(5)).value
      print(bytes.map { String(decoding: $0, as: UTF8.self) } ?? "the end")
    }
  }

  /// Values of requests stand in expressions beside calls that throw, in `if` and `switch`, and behind `?`.
  private static func valuesInExpressions() throws {
    try EventLoop.run { loop in
      let file = try await loop.files.mkstemp("/tmp/values-XXXXXX").value
      let path = "\(file.path)"
      try await file.write("12345").value
      try await file.close().value
      print(
        try await sum(loop, path, "37"), try await choose(loop, path, ""), try await choose(loop, nil, "7"))
      do { print(try await sum(loop, path, "x")) } catch let error as NoNumber {
        print("no number:", error.text)
      }
      do { print(try await choose(loop, "/no/such/file", "x")) } catch let error as UVError {
        print(error.name)
      }
      print((try? await choose(loop, nil, "y")) ?? -1)
      try await loop.files.unlink(path).value

      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let client = try await loop.tcp.connect(to: listener.localAddress()).value
      let connection = try await listener.accept().value
      try await client.write("hello").value
      print(try await kind(connection), try await kind(nil))
      connection.close()
      client.close()
      listener.close()
    }
  }
}

// Prints:
// async/await: directory
// callback: directory
// promise: directory
// publisher: directory
// lift-off
// 8
// true
// ETIMEDOUT
// promise: lift-off
// publisher: lift-off
// future: lift-off
// failure(countdown: operation canceled (ECANCELED))
// ["read", "accept", "sleep", "signal"]
// read: true
// accept: true
// sleep: true
// signal: true
// too late
// late, but here
// 42 5 7
// no number: x
// ENOENT
// -1
// long none
