import Foundation
import Testing

/// What long chains cost the compiler.
@Suite struct CompileTimeTests {
  /// Chains of 30 steps.
  static let vocabularies = [
    """
    import UVPromises
    func promises(_ text: String) -> Promise<Int> {
      firstly { Promise.value(1) }
    \(steps { ".map { $0 + \($0) }" })
    }
    """,
    """
    import UVPromises
    func mixed(_ text: String) -> PMKFinalizer {
      firstly { Promise.value(1) }
    \(steps(28) { [".map { $0 + \($0) }", ".then { Promise.value($0) }", ".get { _ in }", ".ensure { }"][$0 % 4] })
        .done { print($0) }
        .catch { print($0) }
    }
    """,
  ]

  private static func steps(_ count: Int = 30, _ step: (Int) -> String) -> String {
    (0..<count).map { "    " + step($0) }.joined(separator: "\n")
  }

  @Test(
    "a chain of 30 steps is no long expression for the compiler", .enabled(if: Compiler.isThere),
    arguments: vocabularies.indices)
  func longChains(_ index: Int) throws {
    let problems = try Compiler.problems(
      Self.vocabularies[index], ["-Xfrontend", "-warn-long-expression-type-checking=300"])
    #expect(problems.map(\.message) == [])
  }
}
