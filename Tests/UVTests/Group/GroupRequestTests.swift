import Foundation
import Testing
import UV
import UVTestSupport

/// What a group does, and what is sent to a loop, as requests of another loop.
@Suite struct GroupRequestTests {
  /// How many handles are open on a loop.
  private func handles(of executor: LoopExecutor) async throws -> Int {
    try await executor.submit { $0.statistics.handles }
  }

  @Test(arguments: [EventLoopGroup.Balance.system, .roundRobin])
  func aPortIsServedForCallbacks(balance: EventLoopGroup.Balance) async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let serving = group.serve(host: "127.0.0.1", port: 0, balance: balance, on: loop) { connection in
        do {
          for try await chunk in connection { try await connection.write(chunk).value }
        } catch { Issue.record(error) }
      }
      var hasReturned = false
      serving.start { result in
        #expect(hasReturned && loop.executor.isOnLoop)
        loop.tcp.connect(to: result.value!) { result in
          let client = result.value!
          client.write("hello") { _ in }
          client.next { result in
            log.append(String(decoding: result.value!!, as: UTF8.self))
            client.close()
            group.shutdownGracefully(within: .zero, on: loop).start { _ in log.append("ended") }
          }
        }
      }
      hasReturned = true
    }
    #expect(log.values == ["hello", "ended"])
  }

  @Test func aPortInUseLeavesNoListener() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: 0)
      let port = Int(try listener.localAddress().port)
      for balance in [EventLoopGroup.Balance.system, .roundRobin] {
        await expectError(
          .addressInUse,
          of: try await group.listen(host: "127.0.0.1", port: port, balance: balance, on: loop) { _ in }.value
        )
      }
      await expectError(
        .invalidArgument, of: try await group.listen(host: "127.0.0.1", port: -1, on: loop) { _ in }.value)
      for executor in group.executors { #expect(try await handles(of: executor) == 0) }
      listener.close()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func aCancelledRequestLeavesNoListener() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let executors = group.executors
      // The second loop is busy, so that the first listens while the request still waits.
      let gate = DispatchSemaphore(value: 0)
      try executors[1].execute { _ in gate.wait() }
      let task = loop.spawn { () async throws(UVError) in
        try await group.listen(host: "127.0.0.1", port: 0, on: loop) { _ in }.value
      }
      while try await handles(of: executors[0]) == 0 {}
      task.cancel()
      await expectError(.cancelled, of: try await task.value)
      #expect(try await handles(of: executors[0]) == 1)
      gate.signal()
      while try await handles(of: executors[0]) == 1 {}
      while try await handles(of: executors[1]) == 1 {}
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func anotherLoopAnswers() async throws {
    let log = Log<String>()
    try await withCallbackLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let executor = group.next()
      let asking = executor.submit(on: loop) { $0.executor === executor && executor.isOnLoop }
      let failing = executor.submit(on: loop) { _ throws(UVError) in
        throw UVError(.notSupported, operation: "test")
      }
      var hasReturned = false
      asking.start { result in
        #expect(hasReturned && loop.executor.isOnLoop)
        log.append("\(result.value == true)")
        failing.start { (result: Result<Void, UVError>) in
          log.append(result.error!.name)
          // Its own loop, too.
          loop.executor.submit(on: loop) { $0.isRunning }.start { result in
            log.append("\(result.value == true)")
            group.shutdownGracefully(within: .zero, on: loop).start { _ in
              asking.start { log.append($0.error!.name) }
            }
          }
        }
      }
      hasReturned = true
    }
    #expect(log.values == ["true", "ENOTSUP", "true", UVError(.loopClosed, operation: "").name])
  }

  @Test func `A question that is cancelled before it is asked is never asked`() async throws {
    let log = Log<String>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 1)
      let gate = DispatchSemaphore(value: 0)
      let executor = group.next()
      try executor.execute { _ in gate.wait() }
      let pending = executor.submit(on: loop) { _ in log.append("asked") }.start { result in
        log.append(result.error?.name ?? "answered")
      }
      pending.cancel()
      pending.cancel()
      #expect(log.values.isEmpty)
      try await loop.sleep(for: .zero).value
      #expect(log.values == ["ECANCELED"])
      gate.signal()
      // It comes after the other.
      try await executor.submit { _ in }
      #expect(log.values == ["ECANCELED"])
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func aLoopThatIsShutDownIsToldSo() async throws {
    let log = Log<String>()
    try await withThread {
      let group = try EventLoopGroup(count: 1)
      let loop = try EventLoop()
      // Begun, and ended with its loop.
      group.shutdownGracefully(within: .seconds(1000), on: loop).start { log.append($0.error!.name) }
      loop.shutdown()
      group.next().submit(on: loop) { _ in }.start { log.append("\($0.error!.code == .loopClosed)") }
      group.listen(port: 0, on: loop) { _ in }.start { log.append("\($0.error!.code == .loopClosed)") }
      // The group's threads close their descriptors when they end.
      EventLoop.run { loop in _ = await group.shutdownGracefully(within: .zero) }
    }
    #expect(log.values == ["ECANCELED", "true", "true"])
  }
}
