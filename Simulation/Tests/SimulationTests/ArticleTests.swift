import Foundation
import Testing

@Suite struct ArticleTests {
  @Test("The blocks of code in the articles compile, those that end run, and the tests pass or fail as shown")
  func blocks() throws {
    let suite = PreloadTests.package.deletingLastPathComponent().appendingPathComponent("Tests/Suites/blocks")
    let products = URL(
      fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    )
    .deletingLastPathComponent()
    let (status, output) = try PreloadTests.run(
      suite.path, ["--package", "simulation", "--products", products.path], [:])
    #expect(status == 0, "\(output)")
  }
}
