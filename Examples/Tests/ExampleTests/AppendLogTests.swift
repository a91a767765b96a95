import Foundation
import Testing

/// The log that outlasts crashes, killed again and again.
@Suite struct AppendLogTests {
  /// A line of the log: its number, and text by which a torn one is seen. Some are longer than what the system
  /// writes before it looks whether the program is killed.
  private static func line(_ number: Int) -> String {
    let length = number % 5 == 0 ? 300_000 : number * 37 % 5000
    return "\(number) " + String(repeating: "\(number % 10)", count: length)
  }

  @Test("Killed at random moments, it has each line that was answered, in order, and none torn")
  func killed() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swift-uv-log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("log").path
    var answered = 0
    for round in 0..<20 {
      let program = try RunningProgram(example: "AppendLog", [file])
      var found = 0
      var summary = ""
      while let line = try program.line() {
        if line.contains("records") {
          summary = line
          break
        }
        #expect(line == Self.line(found), "round \(round)")
        found += 1
      }
      #expect(summary.hasPrefix("\(found) records, "))
      #expect(found >= answered, "round \(round) has lost what was answered")
      answered = found
      var number = found
      // A slow disk may take longer than the program has. So every second time it may answer first.
      if !round.isMultiple(of: 2) {
        try program.write(Self.line(number) + "\n")
        #expect(try program.line() == "kept")
        number += 1
        answered += 1
      }
      // A moment that is none of the program's.
      let leader = program.processID
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0..<150_000))) {
        kill(-leader, SIGKILL)
      }
      // Writing fails when the program has gone.
      while (try? program.write(Self.line(number) + "\n")) != nil { number += 1 }
      while try program.line() == "kept" { answered += 1 }
    }
    #expect(answered > 0)
  }
}
