import CUV
import Testing
import UV
import UVTestSupport

/// `EventLoop.main`: how a program ends.
@Suite struct MainTests {
  @Test("A last error is printed, and the program exits with code 1; what it was doing is ended first")
  func anError() async {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      EventLoop.main { loop in
        loop.spawn {
          do { try await loop.sleep(for: .untilCancelled).value } catch { tell("cancelled") }
        }
        try await loop.sleep(for: .zero).value
        _ = try await loop.files.stat("/no/such/file").value
      }
      tell("never reached")
    }
    #expect(
      lines(result) == ["cancelled", "Error: fs_stat /no/such/file: no such file or directory (ENOENT)"])
  }

  @Test func `An error that isn't the library's is printed, too`() async {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      struct Unreadable: Error, CustomStringConvertible { let description = "line 3 is unreadable" }
      EventLoop.main { _ in throw Unreadable() }
    }
    #expect(lines(result) == ["Error: line 3 is unreadable"])
  }

  @Test func `A program whose work ends goes on behind it, and chooses its own exit code`() async {
    let result = await #expect(processExitsWith: .exitCode(3), observing: [\.standardErrorContent]) {
      EventLoop.main { loop in
        loop.spawn {
          try await loop.sleep(for: .milliseconds(1)).value
          tell("the task")
        }
      }
      tell("behind it")
      exit(3)
    }
    #expect(lines(result) == ["the task", "behind it"])
  }

  @Test func `Where a loop runs already, that is the error`() async {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      EventLoop.run { _ in EventLoop.main { _ in } }
    }
    #expect(lines(result).first?.hasPrefix("Error: run: ") == true, "\(lines(result))")
  }

  private func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n").map(
      String.init)
  }
}

private func tell(_ line: String) {
  _ = "\(line)\n".utf8CString.withUnsafeBytes { write(2, $0.baseAddress, $0.count - 1) }
}
