import Foundation
import Testing

/// The example that keeps programs running.
@Suite struct SupervisorTests {
  /// Runs programs to their end; the lines that concern each, without the numbers of processes.
  private func supervise(_ arguments: String...) throws -> (lines: [String], status: Int32) {
    let (output, status) = try runProgram(Checkout.program("Supervisor"), ["--backoff", "1"] + arguments)
    return (
      output.split(separator: "\n").map { String($0).replacing(/process \d+/, with: "process") }, status
    )
  }

  @Test("What programs print is printed with their number, and the end of the last is the end")
  func output() throws {
    let (lines, status) = try supervise("echo one; echo err >&2", "printf 'a\\nb'")
    #expect(status == 0)
    let first = lines.filter { $0.hasPrefix("1") }
    #expect(first.first == "1 > started: process")
    #expect(Set(first.dropFirst().dropLast()) == ["1 | one", "1 | err"])
    #expect(first.last == "1 > ended: with 0")
    #expect(
      lines.filter { $0.hasPrefix("2") } == ["2 > started: process", "2 | a", "2 | b", "2 > ended: with 0"])
  }

  @Test("A program that fails is started again, until it has failed too often")
  func failures() throws {
    let (lines, status) = try supervise("--max-failures", "3", "exit 3")
    #expect(status == 1)
    let run = ["1 > started: process", "1 > ended: with 3"]
    #expect(lines == run + run + run + ["1 > given up after 3 failures"])
  }

  @Test("A line that is too long is printed in pieces")
  func longLine() throws {
    let (lines, _) = try supervise("--max-line", "4", "echo 0123456789")
    #expect(lines.filter { $0.contains("|") } == ["1 | 0123", "1 | 4567", "1 | 89"])
  }

  @Test("SIGTERM reaches the programs, and whatever they have started")
  func terminate() throws {
    let supervisor = try RunningProgram(
      example: "Supervisor", ["trap 'echo bye; exit 0' TERM; sh -c 'echo up; exec sleep 1000' & wait"])
    try supervisor.line(containing: "| up")
    supervisor.terminate()
    let (output, status) = try supervisor.end()
    #expect(output == "1 | bye\n1 > ended: with 0\n")
    #expect(status == 0)
  }

  @Test("A program that doesn't end in time is killed")
  func kill() throws {
    let supervisor = try RunningProgram(
      example: "Supervisor", ["--grace", "0", "trap '' TERM; echo up; while :; do sleep 1; done"])
    try supervisor.line(containing: "| up")
    supervisor.terminate()
    let (output, status) = try supervisor.end()
    #expect(output == "1 > ended: by Killed\n")
    #expect(status == 0)
  }
}
