import Testing

/// Which of the sixty rules of `Tests/UVTests/Rules/README.md` a test keeps.
public struct Rule: TestTrait {
  /// Its number in the table.
  public let number: Int
}

extension Trait where Self == Rule {
  /// The test keeps the rule of this number in `Tests/UVTests/Rules/README.md`.
  public static func rule(_ number: Int) -> Rule { Rule(number: number) }
}
