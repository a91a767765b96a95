import Foundation
import Testing
import UV
import UVTestSupport

#if os(Linux)
  import Glibc

  /// What is told of a loop whose thread is blocked. One at a time, because they look at the process's threads and
  /// signals.
  @Suite(.serialized) struct StallTests {
    @Test func theFunctionThatBlocksALoopIsNamed() async throws {
      let stalls = Log<Stall>()
      try await withLoop { loop in
        loop.name = "the blocked loop"
        try loop.watchStalls(longerThan: .milliseconds(20)) { stalls.append($0) }
        try await loop.sleep(for: .milliseconds(1)).value
        await loop.spawn {
          try? await loop.sleep(for: .milliseconds(1)).value
          repeat {
            compute()
            try? await loop.sleep(for: .milliseconds(1)).value
          } while stalls.values.isEmpty
        }.value
        #expect(loop.stallCount >= 1)
      }
      let stall = try #require(stalls.values.first)
      #expect(stall.function?.contains("(compute in") == true, "\(stall)")
      #expect(stall.loop == "the blocked loop")
      #expect(stall.spawnedAt?.contains("StallTests.swift:") == true, "\(stall)")
      #expect(stall.duration >= .milliseconds(20))
      #expect(stall.description.contains("(compute in"))
      #expect(stall.frames.contains { $0.function == "uv_run" && $0.file.contains("libuv") }, "\(stall)")
      #expect(stall.frames.first { $0.isOfProgram }?.address != 0)
    }

    @Test func aTurnIsReportedOnce() async throws {
      let stalls = Log<Stall>()
      try await withLoop { loop in
        try loop.watchStalls(longerThan: .milliseconds(10)) { stalls.append($0) }
        loop.queueMicrotask { computeUntil(atLeast: .milliseconds(200)) { !stalls.values.isEmpty } }
        try await loop.sleep(for: .milliseconds(1)).value
        loop.stopWatchingStalls()
      }
      let found = stalls.values.filter { $0.names("computeUntil") }
      #expect(found.count == 1, "\(stalls.values)")
      // It was a callback.
      #expect(found.first?.spawnedAt == nil)
    }

    @Test("A loop that is blocked in a system call is told of, with the function that made the call")
    func systemCalls() async throws {
      let stalls = Log<Stall>()
      try await withLoop { loop in
        try loop.watchStalls(longerThan: .milliseconds(20)) { stalls.append($0) }
        try await loop.sleep(for: .milliseconds(1)).value
        sleepUntil { stalls.values.count == 1 }
        try await loop.sleep(for: .milliseconds(1)).value
        // The system goes on with a `read`.
        #expect(readUntilWritten() == 1)
      }
      let found = stalls.values
      let sleeping = try #require(found.first { $0.names("sleepUntil") }, "\(found)")
      #expect(sleeping.frames.first?.function?.contains("sleep") == true, "\(sleeping)")
      let reading = try #require(found.first { $0.names("readUntilWritten") }, "\(found)")
      #expect(reading.frames.first?.function?.contains("read") == true, "\(reading)")
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
      let stalls = Log<Stall>()
      try await withLoop { loop in
        try loop.watchStalls(longerThan: .milliseconds(10)) { stalls.append($0) }
        try await loop.sleep(for: .milliseconds(300)).value
      }
      // A busy machine may keep a turn from ending, but no turn is a wait.
      for stall in stalls.values {
        #expect(stall.frames.first?.function?.contains("epoll") != true, "\(stall)")
      }
    }

    @Test func thereIsAThreadOnlyWhileALoopIsWatched() async throws {
      try await withLoop { loop in
        try loop.watchStalls()
        while watchdogThreads() != 1 { try await loop.sleep(for: .milliseconds(1)).value }
        try loop.watchStalls(longerThan: .seconds(1))
        loop.stopWatchingStalls()
        #expect(loop.stallCount == 0)
        while watchdogThreads() != 0 { try await loop.sleep(for: .milliseconds(1)).value }
        // The end of a loop ends the watch, too.
        try loop.watchStalls()
        while watchdogThreads() != 1 { try await loop.sleep(for: .milliseconds(1)).value }
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
      let stalls = Log<Stall>()
      try await withLoop { loop in
        try loop.watchStalls(longerThan: .milliseconds(10), signal: signal) { stalls.append($0) }
        raise(SIGUSR2)
        #expect(handled == 1)
        computeUntil { !stalls.values.isEmpty }
        #expect(handled == 1)
        loop.stopWatchingStalls()
        raise(SIGUSR2)
        #expect(handled == 2)
      }
      #expect(stalls.values.first?.names("computeUntil") == true)
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

  extension Stall {
    /// Whether the thread was in a function.
    fileprivate func names(_ name: String) -> Bool { frames.contains { $0.function?.contains(name) == true } }
  }

  private func watchdogThreads() -> Int {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.filter { thread in
      (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "uv-stalls\n"
    }.count
  }

  @inline(never) private func computeUntil(atLeast duration: Duration = .zero, _ isOver: () -> Bool) {
    let end = LoopClock.Instant.now.advanced(by: duration)
    while !isOver() || LoopClock.Instant.now < end {}
  }

  @inline(never) private func sleepUntil(_ isOver: () -> Bool) {
    while !isOver() { usleep(100_000) }
  }

  @inline(never) private func compute() {
    let end = LoopClock.Instant.now.advanced(by: .milliseconds(100))
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
