#if os(Linux)
import Foundation
import Testing
import UV
import UVTestSupport

/// Where the system keeps the number that it gave last.
private let last = "/proc/sys/kernel/ns_last_pid"

/// A program that something else has waited for: the system gives its number to another process.
@Suite(.serialized, .enabled(if: access(last, W_OK) == 0, "the system lets no process choose a number"))
struct ChildNumberTests {
  /// Runs a program on a loop that sees nothing of its end, and waits for the program.
  ///
  /// - Returns: The program's number, which is free.
  private func runAndWait(
    _ loop: EventLoop, in directory: String, _ done: @escaping Completion<ExecutionResult>
  ) throws -> Int32 {
    let file = "\(directory)/process"
    try? FileManager.default.removeItem(atPath: file)
    loop.processes.run("/bin/sh", ["-c", "echo $$ > \(file).new; mv \(file).new \(file)"], done)
    while access(file, F_OK) != 0 { usleep(1000) }
    let process = try #require(Int32(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
    #expect(waitpid(process, nil, 0) == process)
    return process
  }

  /// Starts programs until one has the number, or some other process has taken it.
  ///
  /// - Parameter start: Starts a program, and returns its number.
  private func take(_ process: Int32, _ start: () throws -> Int32) throws -> Bool {
    for _ in 0..<20 {
      try "\(process - 1)".write(toFile: last, atomically: false, encoding: .utf8)
      if try start() == process { return true }
    }
    return false
  }

  @Test func `A program that is run takes nobody along who has its number now`() async throws {
    try await withLoopAndDirectory { loop, directory in
      for _ in 0..<20 {
        let log = Log<UVError.Code?>()
        let process = try runAndWait(loop, in: directory) { log.append($0.error?.code) }
        var others: [ChildProcess] = []
        let isTaken = try take(process) {
          others.append(try loop.processes.spawn("sleep", ["1000"]))
          return others.last!.processID
        }
        try await loop.until { log.values == [.noSuchProcess] }
        try await loop.settle()
        for child in others { try child.kill() }
        for child in others { #expect(try await child.exit().value.signal == .terminate) }
        if isTaken { return }
      }
      Issue.record("other processes took the number each time")
    }
  }

  @Test func `Nor does the end of the loop, which has not seen that the program has gone`() async throws {
    try await withTemporaryDirectory { directory in
      for _ in 0..<20 {
        let (loop, log) = (try EventLoop(), Log<UVError.Code?>())
        let process = try runAndWait(loop, in: directory) { log.append($0.error?.code) }
        var others: [Int32] = []
        let isTaken = try take(process) {
          others.append(try Self.sleeper())
          return others.last!
        }
        loop.shutdown()
        #expect(log.values.count == 1)
        // A process that is killed is gone by then.
        usleep(20_000)
        for other in others {
          #expect(waitpid(other, nil, WNOHANG) == 0, "something has killed it")
          kill(other, SIGKILL)
          waitpid(other, nil, 0)
        }
        if isTaken { return }
      }
      Issue.record("other processes took the number each time")
    }
  }

  /// Starts a program that no loop knows.
  private static func sleeper() throws -> Int32 {
    var process: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
    defer { words.forEach { free($0) } }
    try #require(posix_spawnp(&process, "sleep", nil, nil, &words, nil) == 0)
    return process
  }
}
#endif
