import Testing

@testable import BenchHarness

/// The workloads of `uvbench` beside what their page promises.
@Suite struct ContractTests {
  /// The names of the list, which stand at the beginning of a line.
  private func listed() throws -> [String] {
    try Products.shell("$UVBENCH run --list").lines.dropFirst().filter { !$0.hasPrefix(" ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  @Test("Each workload of the list says what one operation is, what is under way and what is checked")
  func everyWorkloadIsDescribed() throws {
    let sources = try Products.shell("cat bench/Workloads/*/*.swift").text
    let comments = sources.matches(
      of: /((?:  \/\/\/.*\n)+)  (?:public )?static let .*\n    name: "([a-z-]+)"/
    )
    .map { (String($0.2), $0.1) }
    for name in try listed() {
      let words = (comments.first { $0.0 == name }?.1 ?? "")
        .split(whereSeparator: \.isWhitespace).filter { $0 != "///" }.joined(separator: " ")
      #expect(words.contains("One operation: ") && words.contains("Under way: "), "\(name)")
      #expect(words.contains("Checked: ") || words.contains("The row: "), "\(name)")
    }
  }

  @Test(
    "Every style does the work of a workload, and it is checked",
    arguments: [
      ("timer-cancel", 2), ("timeout-wrap", 2), ("cancel", 5), ("cross-loop", 4), ("fairness", 2),
      ("overload", 2), ("idle-connections --connections 50", 2), ("http-hello", 4), ("tcp-echo-watched", 6),
      ("http-idle --connections 50", 1), ("resp-get-set", 2), ("fan-out --connections 50 -p slow=5", 1),
      ("cold-start", 1), ("idle-server --connections 50", 1),
      ("http-client", 2), ("udp-echo", 1), ("pipe-echo", 1),
      ("spawn", 2), ("dns", 2),
    ])
  func everyStyleDoesTheWork(workload: String, cases: Int) throws {
    try Products.withDirectory { directory in
      let output = try Products.shell(
        "$UVBENCH run --quick --rounds 1 --duration 0.01 -w \(workload) --json \(directory)/results.json")
      #expect(output.code == 0, "\(output.text)")
      let results = try LineJSON.value(
        Results.self, String(contentsOfFile: directory + "/results.json", encoding: .utf8))
      #expect(results.cases.count == cases)
      for rows in results.cases {
        #expect(rows.map(\.style) == Style.all)
        #expect(rows.allSatisfy { $0.operations > 0 && $0.histogram.counts.reduce(0, +) > 0 })
      }
    }
  }
}
