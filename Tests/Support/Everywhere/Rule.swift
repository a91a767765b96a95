import Testing

/// Which of the sixty rules of `Tests/Rules.md` a test keeps.
public struct Rule: TestTrait {
  /// Its number in the table.
  public let number: Int
}

extension Trait where Self == Rule {
  /// The test keeps the rule of this number in `Tests/Rules.md`.
  public static func rule(_ number: Int) -> Rule { Rule(number: number) }
}
