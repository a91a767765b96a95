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

  @Test(
    "A program that knows nothing of it runs in virtual time, with the same digest for the same seed"
  )
  func sleep() throws {
    let (code, messages) = try Self.run(
      "/bin/bash", [Self.package.appendingPathComponent("Preload/build").path], ["CC": "clang"])
    try #require(code == 0, "\(messages)")
    let library = Self.package.appendingPathComponent(".build/libuvsim.so").path
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
}
