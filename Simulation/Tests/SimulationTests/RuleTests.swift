import Foundation
import Testing

@Suite struct RuleTests {
  @Test("Each rule has a test or a command, and each of them is there") func table() throws {
    let files = FileManager.default
    let tests = PreloadTests.package.appendingPathComponent("Tests")
    let table = try String(contentsOf: tests.appendingPathComponent("Rules.md"), encoding: .utf8)
    let rows = table.split(separator: "\n").filter { $0.contains(#/^\| \d/#) }
    #expect(rows.compactMap { $0.firstMatch(of: #/^\| (\d+) /#).flatMap { Int($0.1) } } == Array(1...22))
    for row in rows {
      let names = row.matches(of: /`(\w+)\.(\w+)`/).map { ($0.1, $0.2) }
      let commands = row.matches(of: /`(Simulation\/\w+(?:\/\w+)?)`/).map(\.1)
      #expect(!names.isEmpty || !commands.isEmpty, "\(row)")
      for (suite, name) in names {
        let file = tests.appendingPathComponent("SimulationTests/\(suite).swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("func \(name)("), "\(suite).\(name)")
      }
      for command in commands {
        let file = PreloadTests.package.deletingLastPathComponent().appendingPathComponent(String(command))
        #expect(files.isExecutableFile(atPath: file.path), "\(command)")
      }
    }
  }
}
