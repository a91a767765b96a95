import Foundation
import Testing

@Suite struct PreloadTests {
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Runs a program, and returns what it prints to the standard error.
  static func run(_ program: String, _ arguments: [String], _ environment: [String: String]) throws
    -> (Int32, String)
  {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardError = pipe
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// Builds the library, and returns its path.
  static func library() throws -> String {
    let (code, messages) = try run(
      "/bin/bash", [package.appendingPathComponent("Preload/build").path], ["CC": "clang"])
    try #require(code == 0, "\(messages)")
    return package.appendingPathComponent(".build/libuvsim.so").path
  }

  @Test(
    "A program that knows nothing of it runs in virtual time, with the same digest for the same seed"
  )
  func sleep() throws {
    let library = try Self.library()
    var reports: Set<String> = []
    for _ in 0..<2 {
      let (status, report) = try Self.run(
        "/bin/sleep", ["100000"], ["LD_PRELOAD": library, "UVSIM_SEED": "7", "UVSIM_REPORT": "1"])
      #expect(status == 0)
      #expect(
        report.hasPrefix("uvsim: seed 7, digest ")
          && report.hasSuffix(" calls, 100000.000000 seconds\n"), "\(report)")
      reports.insert(report)
    }
    #expect(reports.count == 1)
  }

  @Test("A call that isn't simulated ends the program with its name, whether or not it waits again")
  func missing() throws {
    let library = try Self.library()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("preload-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appendingPathComponent("a").path
    let source = program + ".c"
    try """
    #include <spawn.h>
    #include <sys/select.h>
    int main(int count, char **arguments) {
      pid_t id;
      if (count > 1) return posix_spawn(&id, "/bin/true", 0, 0, arguments, 0);
      for (;;) select(0, 0, 0, 0, 0);
    }
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let (code, messages) = try Self.run("/usr/bin/env", ["clang", source, "-o", program], [:])
    try #require(code == 0, "\(messages)")
    for (arguments, name) in [([], "select"), (["spawn"], "posix_spawn")] {
      let (status, report) = try Self.run(program, arguments, ["LD_PRELOAD": library, "UVSIM_SEED": "1"])
      #expect(status == 70)
      #expect(report.hasPrefix("uvsim: \(name) isn't simulated; the host \"program\" called it"), "\(report)")
    }
  }
}
