import Foundation
import Testing
import UV
import UVTestSupport

/// Standard streams that the shell has led into files: they are read and written where the program is in the file, and nothing
/// that was written is lost.
@Suite(.serialized, .onTheMachine("processes that end")) struct StandardFileTests {
  /// How the program ends its output.
  enum End: Int, CaseIterable { case awaited, closed, left, thrown }

  private static func check(_ end: End, appends: Bool, at path: String) throws {
    struct Failed: Error {}
    let flags = O_RDWR | O_CREAT | (appends ? O_APPEND : 0)
    let descriptor = open(path, flags, 0o600)
    precondition(descriptor >= 0 && write(descriptor, "0123456789", 10) == 10)
    precondition(lseek(descriptor, 4, SEEK_SET) == 4)
    precondition(dup2(descriptor, 1) == 1)
    do {
      try EventLoop.run { loop in
        let output = try loop.standardOutput
        switch end {
        case .awaited:
          try await output.write("ab").value
          try await output.write(["c", "", "d"]).value
        case .closed:
          output.write("ab") { _ in }
          output.write(["c", "d"]) { _ in }
          output.close()
        case .left:
          output.write("ab") { _ in }
          output.write("cd") { _ in }
        case .thrown:
          output.write("abcd") { _ in }
          throw Failed()
        }
      }
    } catch is Failed { precondition(end == .thrown) }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard text == (appends ? "0123456789abcd" : "0123abcd89") else {
      FileHandle.standardError.write(Data(text.utf8))
      exit(2)
    }
    // The program's own position has moved on.
    guard lseek(1, 0, SEEK_CUR) == (appends ? 14 : 8) else { exit(3) }
    exit(0)
  }

  @Test(
    "What is written to a file comes behind what the program has written, and all of it",
    arguments: End.allCases, [false, true])
  func output(end: End, appends: Bool) async throws {
    try await withTemporaryDirectory { directory in
      await #expect(processExitsWith: .success) {
        [end = end.rawValue as Int, appends = appends as Bool, path = "\(directory)/a" as String] in
        try StandardFileTests.check(End(rawValue: end)!, appends: appends, at: path)
      }
    }
  }

  private static func checkInput(at path: String) throws {
    try "one\ntwo\nthree\nfour".write(toFile: path, atomically: false, encoding: .utf8)
    let descriptor = open(path, O_RDONLY)
    precondition(lseek(descriptor, 4, SEEK_SET) == 4)
    precondition(dup2(descriptor, 0) == 0)
    try EventLoop.run { loop in
      let input = try loop.standardInput
      // What another reader was asked for and didn't wait for isn't lost.
      input.next { _ in }.cancel()
      guard try await input.readLine(limit: 99).value == "two" else { exit(2) }
      guard try await input.read(exactly: 3).value == "thr" else { exit(3) }
      guard try await input.readToEnd(limit: 99).value == "ee\nfour" else { exit(4) }
      guard try await input.next().value == nil else { exit(5) }
      guard (try? await input.write("x").value) == nil else { exit(7) }
      guard !input.isWritable, !input.isReadable else { exit(6) }
    }
    exit(0)
  }

  @Test("A file is read from where the program is in it to its end") func input() async throws {
    try await withTemporaryDirectory { directory in
      await #expect(processExitsWith: .success) { [path = "\(directory)/a" as String] in
        try StandardFileTests.checkInput(at: path)
      }
    }
  }
}
