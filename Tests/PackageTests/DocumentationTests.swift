import Foundation
import Testing

/// What the README and the articles show is what a reader can build and run.
@Suite struct DocumentationTests {
  @Test func everyBlockOfCodeCompilesAndThoseThatEndRun() throws {
    let products = try Checkout.program("").path
    let (output, status) = try run(
      Checkout.root.appendingPathComponent("Tests/blocks"), ["--products", products])
    #expect(status == 0, "\(output)")
  }

  @Test func theReadmeIsReadInOneSitting() throws {
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
  }

  /// A reader on a web page of the repository follows these.
  @Test func theLinksOfTheReadmeLeadToFiles() throws {
    let readme = try String(contentsOf: Checkout.root.appendingPathComponent("README.md"), encoding: .utf8)
    let links = readme.matches(of: /\]\((?<path>[^)#:]+)\)/).map { String($0.output.path) }
    #expect(links.count > 10)
    for link in links {
      let file = Checkout.root.appendingPathComponent(link).path
      #expect(FileManager.default.fileExists(atPath: file), "\(link)")
    }
  }
}
