import Foundation
import Testing

/// The example that prints the end of a file.
@Suite struct TailTests {
  private let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("swift-uv-tail-\(UUID().uuidString)")
  private var file: URL { directory.appendingPathComponent("log") }

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

  private func append(_ text: String) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }

  @Test(
    "The last lines are printed as by tail",
    arguments: ["", "a\n", "a\nb\nc\n", "a\nb", "\n\n\n", String(repeating: "0123456\n", count: 20_000)])
  func lastLines(contents: String) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data(contents.utf8).write(to: file)
    for count in [0, 1, 2, 10_000] {
      let output = try runProgram(Checkout.program("Tail"), ["-n", "\(count)", file.path]).output
      #expect(output == (try Client.run("tail -n \(count) \(file.path)")), "\(count) lines")
    }
  }

  @Test("What is appended is printed, and the file may be cut short or replaced")
  func follow() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data("one\ntwo\nthree\n".utf8).write(to: file)
    let tail = try RunningProgram(example: "Tail", ["-f", "-n", "2", file.path])
    #expect(try tail.line() == "two")
    #expect(try tail.line() == "three")
    try append("four\n")
    #expect(try tail.line() == "four")
    // As logrotate does it, in both ways.
    try FileManager.default.moveItem(at: file, to: directory.appendingPathComponent("log.1"))
    try Data("five\n".utf8).write(to: file)
    #expect(try tail.line() == "five")
    try append("six\n")
    #expect(try tail.line() == "six")
    _ = try Client.run(": > \(file.path)")
    try append("7\n")
    #expect(try tail.line() == "7")
    tail.terminate()
    #expect(try tail.end() == ("", 0))
  }

  @Test("It ends quietly when nobody reads what it prints")
  func brokenPipe() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data(String(repeating: "0123456\n", count: 100_000).utf8).write(to: file)
    let tail = try Checkout.program("Tail").path
    #expect(
      try Client.run("{ \(tail) -n 100000 \(file.path); echo ended with $? >&2; } | head -n 1")
        == "0123456\nended with 0\n")
  }

  @Test("A file that isn't there is an error")
  func missing() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let (output, status) = try runProgram(Checkout.program("Tail"), [file.path])
    #expect(status == 1)
    #expect(output.contains("no such file"))
  }
}
