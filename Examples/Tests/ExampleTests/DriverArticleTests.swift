import Foundation
import Testing

/// Programs that need packages of others. `Tests/run protocols` runs them.
@Suite struct DriverArticleTests {
  @Test(
    "An article shows the program that is there",
    arguments: [
      ("Drivers/Sources/AccountsAPI/Database.swift", "UVHTTP/UVHTTP.docc/AServiceWithPostgreSQL.md"),
      ("Drivers/Sources/AccountsAPI/AccountsAPI.swift", "UVHTTP/UVHTTP.docc/AServiceWithPostgreSQL.md"),
      ("Libraries/Sources/FileDigest/FileDigest.swift", "UV/UV.docc/Digests.md"),
    ])
  func article(program: String, page: String) throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
    }
    // The comment at the top says where the article is.
    let lines = try text("Examples/\(program)").split(separator: "\n", omittingEmptySubsequences: false)
    let program = lines.drop { $0.hasPrefix("// ") }.joined(separator: "\n")
    #expect(try text("Sources/\(page)").contains(program))
  }

  @Test func `The service with PostgreSQL has the router of its article`() throws {
    let root = Checkout.root
    let page = try String(
      contentsOf: root.appendingPathComponent("Sources/UVHTTP/UVHTTP.docc/Routing.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().prefix(2)
      .map { $0.components(separatedBy: "```")[0] }
    let router = try String(
      contentsOf: root.appendingPathComponent("Examples/Drivers/Sources/AccountsAPI/Router.swift"),
      encoding: .utf8)
    #expect(blocks.count == 2 && blocks.allSatisfy(router.contains))
  }
}
