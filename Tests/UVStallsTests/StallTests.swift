import Foundation
import Testing
import UV
import UVStalls
import UVTestSupport

#if os(Linux)
import Glibc

/// What is reported of a loop whose thread is blocked. One at a time, because they look at the process's
/// threads and signals.
@Suite(.serialized) struct StallTests {
  @Test func theFunctionThatBlocksALoopIsNamed() async throws {
    let stalls = StallLog()
    try await withLoop { loop in
      loop.name = "the blocked loop"
      try loop.watchStalls(longerThan: .milliseconds(20)) { stalls.append($0) }
      try await loop.spawn { try await stalls.wait(for: "(compute in", on: loop) { compute() } }.value
      #expect(loop.stallCount >= 1)
    }
    let stall = try #require(stalls.stalls(in: "(compute in").first)
    #expect(stall.function?.contains("(compute in") == true, "\(stall)")
    #expect(stall.name == "the blocked loop")
    #expect(stall.spawnedAt?.contains("StallTests.swift:") == true, "\(stall)")
    #expect(stall.duration >= .milliseconds(20))
    #expect(stall.description.contains("(compute in"))
    #expect(stall.frames.contains { $0.function == "uv_run" && $0.file.contains("libuv") }, "\(stall)")
    #expect(stall.frames.first { $0.isOfProgram }?.address != 0)
  }

  @Test("A later watcher of the signal that stalls are found by gets its own signals, and stalls are found")
  func aLaterWatcherOfTheSignal() async throws {
    let stalls = StallLog()
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(20)) { stalls.append($0) }
      let number = __libc_current_sigrtmin() + 6
      let watcher = try loop.signals(Signal(rawValue: number))
      let received = Log<Signal?>()
      watcher.start { received.append($0.value ?? nil) }
      try await stalls.wait(for: "(compute in", on: loop) { compute() }
      try await loop.sleep(for: .milliseconds(1)).value
      #expect(received.values.isEmpty)
      kill(getpid(), number)
      try await loop.settle { received.values.count == 1 }
      // Its end takes libuv's handler, and with it ours, away.
      try await watcher.close().value
      try await stalls.wait(for: "sleepInSystem", on: loop) { sleepInSystem() }
    }
  }

  @Test func `The longest limit is one that nothing reaches`() async throws {
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .seconds(Int64.max)) { _ in }
      compute(for: .milliseconds(10))
      try await loop.sleep(for: .milliseconds(10)).value
      #expect(loop.stallCount == 0)
    }
  }

  @Test func aTurnIsReportedOnce() async throws {
    let stalls = StallLog()
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(10)) { stalls.append($0) }
      // The turn goes on for long enough to be reported again.
      try await stalls.wait(for: "(compute in", on: loop) {
        loop.queueMicrotask {
          for _ in 0..<50 where stalls.stalls(in: "(compute in").isEmpty { compute() }
          compute(for: .milliseconds(200))
        }
        try await loop.sleep(for: .milliseconds(1)).value
      }
      loop.stopWatchingStalls()
    }
    let found = stalls.stalls(in: "(compute in")
    #expect(found.count == 1, "\(stalls.stalls)")
    // It was a callback.
    #expect(found.first?.spawnedAt == nil)
  }

  @Test("A loop that is blocked in a system call is reported, with the function that made the call")
  func systemCalls() async throws {
    let stalls = StallLog()
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(20)) { stalls.append($0) }
      try await stalls.wait(for: "sleepInSystem", on: loop) { sleepInSystem() }
      // The system goes on with a `read`.
      try await stalls.wait(for: "readUntilWritten", on: loop) { #expect(readUntilWritten() == 1) }
    }
    let sleeping = try #require(stalls.stalls(in: "sleepInSystem").first, "\(stalls.stalls)")
    #expect(sleeping.frames.first?.function?.contains("sleep") == true, "\(sleeping)")
    let reading = try #require(stalls.stalls(in: "readUntilWritten").first, "\(stalls.stalls)")
    #expect(reading.frames.first?.function?.contains("read") == true, "\(reading)")
  }

  @Test func `A stall in the body of a run says so`() async throws {
    let stalls = StallLog()
    try await withThread {
      try EventLoop.run { loop in
        try loop.watchStalls(longerThan: .milliseconds(10)) { stalls.append($0) }
        try await stalls.wait(for: "(compute in", on: loop) { compute() }
      }
    }
    let stall = try #require(stalls.stalls(in: "(compute in").first)
    #expect(stall.spawnedAt == "the body of run")
    #expect(stall.description.contains(", task: the body of run"))
  }

  @Test func aThousandStallsInTheMiddleOfAllocationsEnd() async throws {
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(1)) { _ in }
      while loop.stallCount < 1000 {
        allocate(for: .milliseconds(2))
        try await loop.sleep(for: .zero).value
      }
    }
  }

  @Test func aLoopThatWaitsForEventsIsNotStalled() async throws {
    let stalls = StallLog()
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(10)) { stalls.append($0) }
      try await loop.sleep(for: .milliseconds(300)).value
    }
    // A busy machine may keep a turn from ending, but no turn is a wait.
    for stall in stalls.stalls {
      #expect(stall.frames.first?.function?.contains("epoll") != true, "\(stall)")
    }
  }

  @Test func thereIsAThreadOnlyWhileALoopIsWatched() async throws {
    try await withLoop { loop in
      try loop.watchStalls()
      try await loop.until { watchdogThreads() == 1 }
      try loop.watchStalls(longerThan: .seconds(1))
      loop.stopWatchingStalls()
      #expect(loop.stallCount == 0)
      try await loop.until { watchdogThreads() == 0 }
      // The end of a loop ends the watch, too.
      try loop.watchStalls()
      try await loop.until { watchdogThreads() == 1 }
    }
    while watchdogThreads() != 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  @Test func aHandlerOfTheSignalGetsItsSignalsAndIsPutBack() async throws {
    let signal = Signal(rawValue: SIGUSR2)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in handled += 1 }
    var before = sigaction()
    sigaction(SIGUSR2, &action, &before)
    defer { sigaction(SIGUSR2, &before, nil) }
    let stalls = StallLog()
    try await withLoop { loop in
      try loop.watchStalls(longerThan: .milliseconds(10), signal: signal) { stalls.append($0) }
      raise(SIGUSR2)
      #expect(handled == 1)
      try await stalls.wait(for: "(compute in", on: loop) { compute() }
      #expect(handled == 1)
      loop.stopWatchingStalls()
      raise(SIGUSR2)
      #expect(handled == 2)
    }
    #expect(!stalls.stalls(in: "(compute in").isEmpty)
  }

  @Test func whatCannotWorkIsRefused() async throws {
    try await withLoop { loop in
      #expect(throws: UVError.self) { try loop.watchStalls(longerThan: .microseconds(999)) }
      #expect(throws: UVError.self) { try loop.watchStalls(signal: .kill) }
      #expect(loop.stallCount == 0)
    }
    try await withThread {
      let loop = try EventLoop()
      loop.shutdown()
      #expect(throws: UVError.self) { try loop.watchStalls() }
    }
  }
}

// Sound: the signal comes to the thread that reads it.
nonisolated(unsafe) private var handled = 0

/// The stalls that a test was notified of, with the functions that the thread was in. Looking them up takes a
/// while, and happens in the handler, so that the loop isn't kept by it.
private final class StallLog: Sendable {
  private let found = Log<(stall: Stall, functions: [String])>()

  var stalls: [Stall] { found.values.map(\.stall) }

  func append(_ stall: Stall) { found.append((stall, stall.frames.compactMap(\.function))) }

  /// The stalls in a function.
  func stalls(in name: String) -> [Stall] {
    found.values.filter { $0.functions.contains { $0.contains(name) } }.map(\.stall)
  }

  /// Blocks a loop in one turn after the other until a stall in a function has been reported. On a busy
  /// machine, a loop may also be late elsewhere, and a turn is reported once.
  func wait(for name: String, on loop: EventLoop, _ block: () async throws -> Void) async throws {
    while stalls(in: name).isEmpty {
      try await loop.sleep(for: .milliseconds(1)).value
      try await block()
    }
  }
}

private func watchdogThreads() -> Int {
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return threads.filter { thread in
    (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "uv-stalls\n"
  }.count
}

// It may return early, because a signal interrupts it.
@inline(never) private func sleepInSystem() { usleep(200_000) }

@inline(never) private func compute(for duration: Duration = .milliseconds(100)) {
  let end = LoopClock.Instant.now.advanced(by: duration)
  while LoopClock.Instant.now < end {}
}

@inline(never) private func allocate(for duration: Duration) {
  let end = LoopClock.Instant.now.advanced(by: duration)
  while LoopClock.Instant.now < end { _ = (1..<50).map { [Int](repeating: $0, count: $0) } }
}

/// Reads a byte that another thread writes after a while.
@inline(never) private func readUntilWritten() -> Int {
  var descriptors: [Int32] = [0, 0]
  pipe(&descriptors)
  let (reader, writer) = (descriptors[0], descriptors[1])
  Thread {
    usleep(200_000)
    _ = write(writer, "x", 1)
  }.start()
  var byte: UInt8 = 0
  let count = read(reader, &byte, 1)
  close(reader)
  close(writer)
  return count
}
#endif
