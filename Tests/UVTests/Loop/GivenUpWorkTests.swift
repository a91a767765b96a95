import Foundation
import Testing
import UV
import UVTestSupport

/// Work on the thread pool that was cancelled after a thread had begun it, and that a loop waits for.
@Suite(.serialized) struct GivenUpWorkTests {
  /// Who gives the work up.
  enum Way: String, CaseIterable, Codable, Sendable { case cancelled, timedOut, stopped }

  @Test(
    "A loop that waits for nothing else says so once, and ends when the work does", arguments: Way.allCases)
  func isReported(way: Way) async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [way = way as Way] in
      let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      // The work goes on until the loop has said that it waits for it.
      let reports = try StandardErrorReader { if $0.contains("waits only for threads") { gate.signal() } }
      EventLoop.runCallbacks { loop in
        loop.patienceWithGivenUpWork = 5
        let work = loop.work {
          begun.signal()
          gate.wait()
        }
        let request = way == .timedOut ? work.timeout(after: .milliseconds(1)) : work
        let pending = request.start { _ in }
        begun.wait()
        switch way {
        case .cancelled: pending.cancel()
        case .stopped: loop.stop()
        case .timedOut: break
        }
      }
      reports.end()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "waits only for threads").count == 2, "\(text)")
    #expect(text.contains("cancelled: work."), "\(text)")
  }

  @Test func `A loop that has other work says nothing`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      EventLoop.runCallbacks { loop in
        loop.patienceWithGivenUpWork = 1
        let pending = loop.work {
          begun.signal()
          gate.wait()
        } _: { _ in
        }
        begun.wait()
        pending.cancel()
        // Many times the patience, in which the loop has a timer.
        var ticks = 0
        func tick() {
          loop.sleep(for: .milliseconds(1)) { _ in
            ticks += 1
            if ticks == 20 { gate.signal() }
            if loop.statistics.requests > 0 { tick() }
          }
        }
        tick()
      }
    }
    #expect(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == "")
  }

  #if os(Linux)
  @Test func `A file operation is given up as other work is`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      // A file that another opener has a lease of is opened once the lease is given back.
      let path = NSTemporaryDirectory() + "/uv-lease-\(getpid())"
      let holder = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      signal(SIGIO, SIG_IGN)
      let (setLease, forWriting): (Int32, Int32) = (1024, 1)
      if fcntl(holder, setLease, forWriting) < 0 {
        unlink(path)
        write(2, "no leases", 9)
        exit(0)
      }
      let reports = try StandardErrorReader {
        if $0.contains("waits only for threads") { Foundation.close(holder) }
      }
      let loop = try EventLoop()
      try loop.run { loop in
        loop.patienceWithGivenUpWork = 5
        // Until a thread has begun it: before that it can be taken back.
        repeat {
          let pending = loop.files.open(path) { _ in }
          try await loop.sleep(for: .milliseconds(5)).value
          pending.cancel()
          try await loop.settle()
        } while loop.statistics.requests == 0
      }
      loop.shutdown()
      unlink(path)
      reports.end()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    if text == "no leases" { return }
    #expect(text.components(separatedBy: "waits only for threads").count == 2, "\(text)")
    #expect(text.contains("cancelled: fs_open"), "\(text)")
  }
  #endif
}

/// Reads what the process writes to its standard error, on a thread, and writes it there.
private final class StandardErrorReader: Sendable {
  private let (original, hasEnded) = (dup(2), DispatchSemaphore(value: 0))

  init(_ body: @escaping @Sendable (String) -> Void) throws {
    let pipe = Pipe()
    dup2(pipe.fileHandleForWriting.fileDescriptor, 2)
    try pipe.fileHandleForWriting.close()
    Thread {
      while true {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { break }
        _ = data.withUnsafeBytes { write(self.original, $0.baseAddress, $0.count) }
        body(String(decoding: data, as: UTF8.self))
      }
      self.hasEnded.signal()
    }.start()
  }

  /// Returns when all has been written.
  func end() {
    dup2(original, 2)
    hasEnded.wait()
  }
}
