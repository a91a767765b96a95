import Dispatch
import Foundation
import Testing
import UV
import UVTestSupport

/// What a group's listeners do where a loop can't, and what a handler finds.
@Suite struct GroupServeTests {
  /// Ends a loop of a group, and waits until nothing can be sent there.
  private static func end(_ executor: LoopExecutor) async {
    executor.stop()
    while await code(of: { () async throws(UVError) in try await executor.submit { _ in } }) == nil {}
  }

  @Test(arguments: [EventLoopGroup.Balance.system, .roundRobin])
  func `A connection counts as an accepted one from its handler's first moment on`(
    balance: EventLoopGroup.Balance
  ) async throws {
    let accepted = Log<Bool?>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let address = try await group.listen(host: "127.0.0.1", port: 0, balance: balance) { connection in
        let peer = (try? connection.peerAddress())?.description
        let handles = connection.loop.snapshot().handles.entries
        accepted.append(handles.first { !$0.isListener && $0.peerAddress == peer }?.isAccepted)
        // One that was served before may still close.
        #expect(connection.loop.census().accepted[.idle] == 1)
        connection.close()
      }
      for _ in 0..<4 {
        let client = try await loop.tcp.connect(to: address).value
        #expect(try await client.next().value == nil)
        client.close()
      }
      _ = await group.shutdownGracefully(within: .zero)
    }
    #expect(accepted.values == [true, true, true, true])
  }

  @Test func `The loop that has accepted a connection serves it where the next one has ended`() async throws {
    let served = Log<Bool>()
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      let first = group.executors[0]
      let address = try await group.listen(host: "127.0.0.1", port: 0, balance: .roundRobin) { connection in
        served.append(first.isOnLoop)
        connection.close()
      }
      await Self.end(group.executors[1])
      for number in 1...4 {
        let client = try await loop.tcp.connect(to: address).value
        try await loop.until { served.values.count == number }
        client.close()
      }
      _ = await group.shutdownGracefully(within: .zero)
      // The descriptors are counted after this.
    }
    #expect(served.values == [true, true, true, true])
  }

  @Test func `A group that can't listen on each loop listens on none when it says so`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 2)
      await Self.end(group.executors[1])
      let places = Log<String>()
      try group.executors[0].execute { loop in
        // The loop is busy from the moment at which it listens: who doesn't wait for it comes too early.
        func look() {
          let listener = loop.snapshot().handles.entries.first { $0.isListener }
          guard let place = listener?.localAddress else { return loop.queueMicrotask(look) }
          places.append(place)
          usleep(300_000)
        }
        look()
      }
      await expectError(.loopClosed, of: try await group.listen(host: "127.0.0.1", port: 0) { _ in })
      let port = try #require(places.values.first?.split(separator: ":").last.flatMap { Int($0) })
      let listener = try loop.tcp.listen(host: "127.0.0.1", port: port)
      listener.close()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test func `Snapshots that all loops have given don't wait for the rest of the time`() async throws {
    try await withLoop { loop in
      let group = try EventLoopGroup(count: 3)
      #expect(await group.snapshots(within: .untilCancelled).count == 3)
      // A loop that has ended has none, and one that is stuck has an empty one.
      await Self.end(group.executors[2])
      #expect(await group.snapshots(within: .untilCancelled).map(\.hasAnswered) == [true, true])
      let gate = DispatchSemaphore(value: 0)
      try group.executors[1].execute { _ in gate.wait() }
      #expect(await group.snapshots(within: .milliseconds(10)).map(\.hasAnswered) == [true, false])
      gate.signal()
      _ = await group.shutdownGracefully(within: .zero)
    }
  }

  @Test("A snapshot lists a hundred of each kind unless it is asked for more or fewer")
  func limits() async throws {
    await #expect(processExitsWith: .success) {
      let group = try EventLoopGroup(count: 1)
      try await group.executors[0].submit { loop throws(UVError) in
        for _ in 0..<150 { loop.spawn { try? await loop.sleep(for: .seconds(1000)).value } }
        try loop.printSnapshot(on: .user2)
      }
      try await group.printSnapshots(on: .user1)
      #expect(await group.snapshots(within: .seconds(1000)).map(\.tasks.entries.count) == [100])
      let listed = try await group.executors[0].submit { $0.snapshot().timers.entries.count }
      #expect(listed == 100)
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      dup2(ends[1], 2)
      for signal in [SIGUSR1, SIGUSR2] {
        kill(getpid(), signal)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(ends[0], &buffer, buffer.count)
        let text = String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        precondition(text.split(separator: "and 50 more").count == 3, text)
      }
    }
  }

  @Test func `A thread that the system refuses is an error, and leaves no memory`() async throws {
    // Where a sanitizer has the memory, the system's limit ends the process.
    guard Hooks.canCountAllocations else { return }
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try EventLoop().shutdown()
      // A thread's stack is as large as the limit says, and larger than what the process may still have.
      var stack = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
      stack.rlim_cur = min(256 << 20, stack.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
      var memory = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[0]
      memory.rlim_cur = rlim_t(pages)! * 4096 + (64 << 20)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
      do throws(UVError) {
        _ = try EventLoopGroup(count: 1)
        fatalError("the system has refused no thread")
      } catch { precondition(error.code == .wouldBlock || error.code == .outOfMemory, "\(error)") }
      var growths: [Int] = []
      growths.reserveCapacity(15)
      for _ in 0..<15 {
        let before = Hooks.heapInUse ?? 0
        for _ in 0..<20 { precondition((try? EventLoopGroup(count: 1)) == nil) }
        growths.append((Hooks.heapInUse ?? 0) - before)
      }
      precondition(growths.sorted()[4] < 20 * 16, "\(growths)")
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }
}
