import Foundation
import Testing
import UV
import UVTestSupport

/// The way of file operations to the thread pool and back.
@Suite struct FileQueueTests {
  /// Keeps `count` threads of the pool waiting, and lets them go afterwards.
  private func occupying(
    _ count: Int, of loop: EventLoop, _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws {
    let (begun, gate) = (Log<Int>(), DispatchSemaphore(value: 0))
    for number in 0..<count {
      loop.work {
        begun.append(number)
        gate.wait()
      } _: { _ in
      }
    }
    defer { for _ in 0..<count { gate.signal() } }
    try await loop.until { begun.values.count == count }
    try await body()
  }

  @Test(.onTheMachine("threads that wait")) func anOperationThatWaitsDoesNotHoldUpTheOthers() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        try await occupying(poolThreads - 1, of: loop) {
          for _ in 0..<100 { _ = try await loop.files.stat(directory).value }
        }
      }
    }
  }

  @Test(.onTheMachine("threads that wait")) func whatWaitsCanBeCancelledAndIsNotPerformed() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let file = try await loop.files.open("\(directory)/f", .readWrite, options: [.create]).value
        try await occupying(poolThreads, of: loop) {
          let writes = (0..<3).map { index in
            loop.spawn { () async throws(UVError) in
              try await file.write("lost", at: Int64(index) * 4).value
            }
          }
          try await loop.sleep(for: .zero).value
          for write in writes { write.cancel() }
          for write in writes {
            await expectError(.cancelled, of: try await write.value)
          }
        }
        #expect(try await file.stat().value.size == 0)
        try await file.close().value
      }
    }
  }

  @Test(
    "A file operation that is cancelled while it waits for a thread keeps no loop",
    .onTheMachine("a loop that others don't wait for"), arguments: [1, 30], [false, true])
  func cancelledWhileItWaits(count: Int, byEnd: Bool) async throws {
    let log = Log<String>()
    try await withLoop { loop in
      try await withBusyPool(of: loop) {
        Thread {
          EventLoop.runCallbacks { other in
            let pending = (0..<count).map { _ in other.files.stat("/") { log.append($0.error?.name ?? "ok") }
            }
            other.sleep(for: .milliseconds(1)) { _ in
              if byEnd { other.stop() } else { for stat in pending { stat.cancel() } }
            }
          }
          log.append("ended")
        }.start()
        try await loop.until { log.values.last == "ended" }
      }
      try await loop.until { log.values.last == "ended" }
    }
    #expect(log.values == [String](repeating: "ECANCELED", count: count) + ["ended"])
  }

  @Test func `A file is closed while all threads are busy, if what waited for them has been cancelled`()
    async throws
  {
    try await withLoop { loop in
      let file = try await loop.files.open("/etc/passwd").value
      let log = Log<String>()
      try await withBusyPool(of: loop) {
        let reads = [
          file.read(1, at: 0) { log.append("one \($0.error?.name ?? "ok")") },
          file.read([1, 2], at: 0) { log.append("several \($0.error?.name ?? "ok")") },
        ]
        loop.files.stat("/") { log.append("stat \($0.error?.name ?? "ok")") }.cancel()
        for read in reads { read.cancel() }
        file.close { log.append("closed \($0.error?.name ?? "ok")") }
        try await loop.until { log.values.count == 4 }
        #expect(log.values == ["stat ECANCELED", "one ECANCELED", "several ECANCELED", "closed ok"])
        // The queue is whole.
        loop.files.stat("/") { log.append("later \($0.error?.name ?? "ok")") }
      }
      try await loop.until { log.values.last == "later ok" }
    }
  }

  @Test func filesLeaveThreadsToOtherWork() async throws {
    let operations = Log<Int>()
    try await withCallbackLoop { loop in
      var hasWorked = false
      var count = 0
      func stat() {
        loop.files.stat("/") { _ in
          count += 1
          // A million, so that the test ends if the work never comes.
          if !hasWorked, count < 1_000_000 { stat() }
        }
      }
      for _ in 0..<64 { stat() }
      loop.work {
        1
      } _: { _ in
        hasWorked = true
        operations.append(count)
      }
    }
    #expect(operations.values.count == 1 && operations.values[0] < 1_000_000)
  }

  @Test func answersComeOnceAndEachFromItsFile() async throws {
    try await withLoop { loop in
      try await withTemporaryDirectory { directory in
        let count = 300
        var found: [Int] = []
        for index in 0..<count {
          loop.files.writeFile("\(directory)/\(index)", Bytes("\(index)")) { _ in
            loop.files.open("\(directory)/\(index)") { result in
              guard case .success(let file) = result else { return }
              file.read(10) { result in
                if case .success(let bytes) = result, bytes == Bytes("\(index)") { found.append(index) }
              }
            }
          }
        }
        try await loop.until { found.count >= count }
        #expect(found.sorted() == Array(0..<count))
      }
    }
  }

  enum Event: CaseIterable { case none, cancellation, closedFile }

  @Test(
    "What an answer leads to is answered once, however much it is and whatever the answer does besides",
    arguments: [1, 7, 8, 9, 30], Event.allCases)
  func gathered(count: Int, event: Event) async throws {
    let answers = Log<Int>()
    try await withCallbackLoop { loop in
      _ = loop.files.open("/etc/passwd") { result in
        guard case .success(let file) = result else { return }
        let reads = (0..<count).map { index in file.read(10, at: 0) { _ in answers.append(index) } }
        switch event {
        case .none: break
        case .cancellation: for read in reads { read.cancel() }
        case .closedFile: file.close { _ in }
        }
        if event != .closedFile { loop.files.stat("/") { _ in file.close { _ in } } }
      }
    }
    #expect(answers.values.sorted() == Array(0..<count))
  }

  @Test(.onTheMachine("a list of descriptors")) func aFileOpenedForReadingIsClosedAtOnce() async throws {
    try await withLoop { loop in
      let before = openDescriptors().count
      let file = try await loop.files.open("/etc/passwd").value
      #expect(openDescriptors().count == before + 1)
      let closing = file.close()
      #expect(openDescriptors().count == before)
      try await closing.value
      await expectError(.badDescriptor, of: try await file.stat().value)
    }
  }

  @Test func aLoopThatIsShutDownWaitsForItsThreads() async throws {
    for _ in 0..<50 {
      try await withThread {
        let loop = try EventLoop()
        for _ in 0..<20 { loop.files.stat("/") { _ in } }
        loop.shutdown()
        #expect(loop.statistics.isIdle)
      }
    }
  }
}
