import Foundation
import Testing

/// The sixty rules of `Tests/Rules.md`: each has a test, or the table says why not.
@Suite struct RuleCoverageTests {
  @Test func everyRuleHasATest() throws {
    let table = Checkout.root.appendingPathComponent("Tests/Rules.md")
    let rows = try String(contentsOf: table, encoding: .utf8).components(separatedBy: "\n| ").dropFirst()
    #expect(rows.compactMap(Self.number) == Array(1...60))
    var covered = Set(rows.filter { !$0.contains("](") }.compactMap(Self.number))
    for file in Checkout.sources("Tests") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.components(separatedBy: ".rule(").dropFirst() {
        if let number = Self.number(part) { covered.insert(number) }
      }
    }
    #expect(Set(1...60).subtracting(covered).sorted() == [])
  }

  private static func number(_ text: some StringProtocol) -> Int? { Int(text.prefix { $0.isNumber }) }
}
