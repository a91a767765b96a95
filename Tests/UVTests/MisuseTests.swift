import Testing
import UV
import UVTestSupport

/// Mistakes of a program that would break memory or hang in silence. Each ends the process with a sentence, as those of
/// `WrongThreadTests` do.
@Suite struct MisuseTests {
  enum Misuse: String {
    case bytes, builtBytes, builderRoom, position, threadLocals, noSignals
    case shutdown, detach, detachElsewhere, interval, snapshot
    case ended, waitsForItself, semaphore, connectionLimit

    /// What the process says.
    fileprivate var sentence: String {
      switch self {
      case .bytes: "initialized 5 of 4 bytes"
      case .builtBytes: "wrote 5 of 4 bytes"
      case .builderRoom: "a builder with room for -1 bytes more"
      case .threadLocals: "pthread_key_create: "
      case .position: "an integer of 4 bytes at 1 of 4 bytes"
      case .noSignals: "name a signal, such as .terminate"
      case .shutdown: "shutdown() inside a running loop; use stop()"
      case .detach, .detachElsewhere: "detach() of a loop that no host runs; use shutdown()"
      case .interval: "ticks(every:): an interval is a millisecond or more"
      case .snapshot: "snapshot(limit:): a limit is 0 or more"
      case .ended: "spawn: the group has ended"
      case .waitsForItself: "next: a task of the group would wait for itself"
      case .semaphore: "LoopSemaphore: a value of 0 or more"
      case .connectionLimit: "connectionLimit 0: a listener needs room for 1 connection or more"
      }
    }

    fileprivate func make() throws {
      let four: Bytes = "four"
      switch self {
      case .bytes: _ = Bytes(unsafeUninitializedCapacity: 4) { _ in 5 }
      case .builtBytes:
        var builder = BytesBuilder()
        builder.append(unsafeUninitializedCapacity: 4) { _ in 5 }
      case .builderRoom:
        var builder = BytesBuilder()
        builder.append(unsafeUninitializedCapacity: -1) { _ in 0 }
      // The system has about a thousand.
      case .threadLocals: for _ in 0..<100_000 { _ = ThreadLocal<EventLoop>() }
      case .position: _ = four.littleEndian(UInt32.self, at: 1)
      default: try EventLoop.run { try await make(on: $0) }
      }
    }

    private nonisolated(nonsending) func make(on loop: EventLoop) async throws {
      switch self {
      case .noSignals: _ = try await loop.shutdownGracefully(onSignals: [], within: .zero).value
      case .shutdown: loop.shutdown()
      case .detach: try await loop.detach().value
      case .detachElsewhere:
        nonisolated(unsafe) let loop = loop
        await Task.detached { _ = loop.detach { _ in } }.value
      case .interval: _ = loop.ticks(every: .microseconds(999))
      case .snapshot: _ = loop.snapshot(limit: -1)
      case .ended:
        var group: LoopTaskGroup?
        try await loop.withTasks { group = $0 }
        group?.spawn {}
      case .waitsForItself:
        try await loop.withTasks(of: Void.self, limit: 1) { group in
          try await group.spawn { _ = try await group.next().value }
        }
      case .semaphore: _ = LoopSemaphore(loop, value: -1)
      case .connectionLimit: try loop.tcp.listen(port: 0).connectionLimit = 0
      default: break
      }
    }
  }

  private func expectSentence(_ misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name = misuse.rawValue as String] in try Misuse(rawValue: name)!.make()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(misuse.sentence), "\(misuse)")
  }

  @Test(arguments: [Misuse.bytes, .builtBytes, .builderRoom, .position, .noSignals])
  func `What would read or write beyond bytes stops the program`(misuse: Misuse) async {
    await expectSentence(misuse)
  }

  @Test(arguments: [Misuse.shutdown, .detach, .detachElsewhere, .interval, .snapshot, .threadLocals])
  func `What a loop can't do stops the program`(misuse: Misuse) async { await expectSentence(misuse) }

  @Test(arguments: [Misuse.ended, .waitsForItself, .semaphore, .connectionLimit])
  func `What would wait for ever stops the program`(misuse: Misuse) async { await expectSentence(misuse) }
}
