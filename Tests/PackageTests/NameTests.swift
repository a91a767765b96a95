import Foundation
import Testing

/// The names of the public types get along with those of other modules that a program imports.
@Suite struct NameTests {
  @Test(
    "A program that imports Foundation beside the three modules needs no qualified name",
    arguments: ["UVFutures", "UVRxStream"])
  func foundation(vocabulary: String) throws {
    var lines = ["import Dispatch", "import Foundation"]
    var count = 0
    for module in ["UV", "UVPromises", vocabulary] {
      let listing = Checkout.root.appendingPathComponent("Design/api/\(module).txt")
      // `Name | declaration`; an extension takes a name without the arguments that a generic type needs.
      let types = try String(contentsOf: listing, encoding: .utf8).split(separator: "\n").compactMap { line in
        line.firstMatch(of: /^([A-Z]\w*) \| (?!typealias)/).map { String($0.1) }
      }
      count += types.count
      lines += ["import \(module)"] + types.map { "extension \($0) {}" }
    }
    #expect(count > 100)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "names-\(vocabulary)-\(getpid()).swift")
    try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let (output, status) = try runProgram(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["swiftc", "-typecheck", "-swift-version", "6", file.path] + Checkout.moduleArguments())
    #expect(status == 0, "\(output)")
  }

  @Test func `A method whose request may be ignored begins at once, and those are the ones that end a thing`()
    throws
  {
    let folder = Checkout.root.appendingPathComponent("Design/api")
    var (beginning, others): (Set<Substring>, Set<Substring>) = ([], [])
    var count = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      for line in try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(
        separator: "\n")
      {
        guard let match = line.firstMatch(of: /func (\w+)(?:<[^(]*>)?\(.* -> (?:\w+\.)?Request</) else {
          continue
        }
        count += 1
        if line.contains("@discardableResult") { beginning.insert(match.1) } else { others.insert(match.1) }
      }
    }
    #expect(count > 100)
    #expect(beginning == ["close", "closeReset", "detach"])
    #expect(others.isDisjoint(with: beginning))
  }
}
