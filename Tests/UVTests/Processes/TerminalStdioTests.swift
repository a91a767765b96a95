import Foundation
import Testing
import UV
import UVTestSupport

/// A child's first descriptors, however many of them are given, for a child that has a terminal and one that has none.
@Suite(.serialized, .onTheMachine("terminals")) struct TerminalStdioTests {
  enum Kind: String, CaseIterable, Sendable {
    case terminal, null, stream, file

    func stdio(_ file: Int32) -> ChildProcess.Stdio {
      switch self {
      case .terminal: .terminal
      case .null: .ignore
      case .stream: .pipe
      case .file: .descriptor(file)
      }
    }
  }

  /// All lists of so many kinds, and some longer ones.
  private static func lists(_ kinds: [Kind]) -> [[Kind]] {
    let one = kinds.map { [$0] }
    let two = one.flatMap { first in kinds.map { first + [$0] } }
    let draws = Draws(1)
    let long = (0..<16).map { number in (0..<3 + number % 3).map { _ in draws.one(of: kinds) } }
    return [[]] + one + two + long
  }

  private static let script = """
    for n in 0 1 2 3 4; do
      if [ -t $n ]; then r="$r terminal"
      elif [ -c /dev/fd/$n ]; then r="$r null"
      elif [ -f /dev/fd/$n ]; then r="$r file"
      elif [ -S /dev/fd/$n ] || [ -p /dev/fd/$n ]; then r="$r stream"
      else r="$r none"; fi
    done
    echo $r >"$0"
    """

  @Test(arguments: [true, false])
  func `Of the first three a missing one is the terminal if there is one, and the null device otherwise`(
    hasTerminal: Bool
  ) async throws {
    try await withLoopAndDirectory { loop, directory in
      let (path, report) = ("\(directory)/f", "\(directory)/report")
      try await loop.files.writeFile(path, "text").value
      let file = Foundation.open(path, O_RDWR | O_CLOEXEC)
      defer { Foundation.close(file) }
      for kinds in Self.lists(Kind.allCases.filter { hasTerminal || $0 != .terminal }) {
        let child = try loop.processes.spawn(
          "/bin/sh", ["-c", Self.script, report],
          terminal: hasTerminal ? TerminalSize(columns: 80, rows: 24) : nil,
          stdio: kinds.map { $0.stdio(file) })
        #expect(try await child.exit().value.isSuccess)
        let found = "\(try await loop.files.readFile(report).value)".dropLast().split(separator: " ").map(
          String.init)
        let missing: Kind = hasTerminal ? .terminal : .null
        let given = kinds + Array(repeating: missing, count: max(0, 3 - kinds.count))
        let beyond = Array(repeating: "none", count: 5 - given.count)
        // The null device leaves a number above 2 free.
        let expected = given.enumerated().map { $0 > 2 && $1 == .null ? "none" : $1.rawValue } + beyond
        #expect(found == expected, "\(kinds.map(\.rawValue))")
        // What this process has of them.
        #expect((child.terminal != nil) == hasTerminal)
        #expect(child.stdio.prefix(kinds.count).map { $0 != nil } == kinds.map { $0 == .stream })
        child.terminal?.close()
        for pipe in child.stdio { pipe?.close() }
        try await loop.files.unlink(report).value
      }
    }
  }
}
