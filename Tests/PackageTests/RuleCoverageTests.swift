import Foundation
import Testing

/// The sixty rules of `Tests/UVTests/Rules/README.md`: no number is without a test.
@Suite struct RuleCoverageTests {
  @Test func everyRuleHasATest() throws {
    var tested: Set<Int> = []
    for file in Checkout.sources("Tests") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /@Test\(\s*"Rule (\d+): /) { tested.insert(Int(match.1)!) }
    }
    #expect(Set(1...60).subtracting(tested).sorted() == [])
  }

  @Test func theTableNamesEveryRule() throws {
    let table = Checkout.root.appendingPathComponent("Tests/UVTests/Rules/README.md")
    let rows = try String(contentsOf: table, encoding: .utf8).matches(of: /\n\| (\d+) \| /).compactMap { Int($0.1) }
    #expect(rows == Array(1...60))
  }
}
