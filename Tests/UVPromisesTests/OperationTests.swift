import Testing
import UV
import UVPromises
import UVTestSupport

/// Promises of the loop's own operations: files, sockets, timers.
@Suite struct OperationTests {
  @Test func aFileIsWrittenAndRead() async throws {
    try await program(logs: ["5 5"]) { loop, log in
      let path = "/tmp/uvpromises-\(UInt64.random(in: 0 ... .max))"
      loop.files.writeFile(path, Bytes("hello".utf8)).promise().then { _ in
        when(fulfilled: loop.files.readFile(path).promise(), loop.files.stat(path).promise())
      }.done { contents, status in
        log("\(contents.count) \(status.size)")
      }.ensureThen {
        loop.files.unlink(path).promise().recover { log("\($0)") }
      }.catch { log("\($0)") }
    }
  }

  @Test func anEchoInARecursionOfPromises() async throws {
    try await program(logsInAnyOrder: ["client: 4000 bytes", "server: end of file"]) { loop, log in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)

      func echo(_ connection: TCPConnection) -> Promise<Void> {
        connection.next().promise().then { chunk -> Promise<Void> in
          guard let chunk else { return .value }
          return connection.write(chunk).promise().then { echo(connection) }
        }
      }
      listener.next().promise().compactMap { $0 }.then { connection in
        echo(connection).ensure { connection.close() }
      }.done { log("server: end of file") }.ensure { listener.close() }.catch { log("server: \($0)") }

      loop.tcp.connect(host: "127.0.0.1", port: port).promise().then { connection -> Promise<Int> in
        var received = 0
        func exchange(_ left: Int) -> Promise<Int> {
          if left == 0 { return .value(received) }
          return connection.write(Bytes("ping".utf8)).promise().then {
            connection.next().promise()
          }.then { chunk -> Promise<Int> in
            received += chunk?.count ?? 0
            return exchange(left - 1)
          }
        }
        return exchange(1000).ensure { connection.close() }
      }.done { log("client: \($0) bytes") }.catch { log("client: \($0)") }
    }
  }

  @Test func aReadThatIsCancelled() async throws {
    let log = try await program { loop, log in
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let accepting = listener.next().promise().done { _ in log("never") }
      accepting.ensure { listener.close() }.catch(policy: .allErrors) { log("\($0.isCancelled)") }
      after(.milliseconds(1)).done { accepting.cancel() }
    }
    // The clean-up is another that waits for `accepting`; cancelling a promise ends it for all.
    #expect(log == ["true"])
  }

  @Test func anOperationThatTimesOutInARequest() async throws {
    try await program(logs: ["true"]) { loop, log in
      loop.sleep(for: .untilCancelled).timeout(after: .milliseconds(1)).promise().catch {
        log("\(($0 as? UVError)?.code == .timedOut)")
      }
    }
  }

  @Test func aPromiseDoesNotKeepItsConnectionOpen() async throws {
    try await program(logsInAnyOrder: ["2", "client: dropped the connection", "server: end of file"]) {
      loop, log in
      var kept: [Any] = []
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      listener.next().promise().done { connection in
        let read = connection!.next().promise()
        read.done { _ in log("server: end of file") }.ensure { listener.close() }.catch { log("\($0)") }
        kept.append(read)
      }.catch { log("\($0)") }
      loop.tcp.connect(host: "127.0.0.1", port: port).promise().then { connection -> Promise<Void> in
        let written = connection.write(Bytes("x".utf8)).promise()
        kept.append(written)
        return written
      }.done { log("client: dropped the connection") }.catch { log("\($0)") }
      // They are kept until both ends have said so, however long that takes.
      loop.eventually(kept.count == 2 && log.values.count == 2) { log("\(kept.count)") }
    }
  }
}

/// A settled promise answers a task at once, and still lets the loop have its turn.
@Suite("A task that awaits settled promises only") struct SettledPromiseTests {
  @Test func `lets timers have their turn`() async throws {
    try await withLoop { loop in
      let (promise, guarantee) = (Promise.value(1), Guarantee.value(1))
      for isPromise in [true, false] {
        var isOver = false
        loop.sleep(for: .zero) { _ in isOver = true }
        var steps = 0
        while !isOver, steps < 100_000 {
          steps += isPromise ? try await promise.async() : await guarantee.async()
        }
        #expect(1...10_000 ~= steps)
      }
    }
  }

  #if DEBUG
  @Test func `A task that waits for a promise is listed with where the promise was made`() async throws {
    try await withLoop { loop in
      let line = #line + 1
      let (promise, resolver) = Promise<Int>.pending()
      #expect(promise.creationSite?.description == "UVPromisesTests/OperationTests.swift:\(line)")
      let waiting = loop.spawn { try? await promise.async() }
      try await loop.sleep(for: .milliseconds(1)).value
      let waits = loop.snapshot().tasks.entries.compactMap(\.wait)
      #expect(waits.map(\.operation) == ["promise"])
      #expect(waits.first?.subject == "made at UVPromisesTests/OperationTests.swift:\(line)")
      resolver.fulfill(1)
      #expect(await waiting.value == 1)
    }
  }
  #endif
}
