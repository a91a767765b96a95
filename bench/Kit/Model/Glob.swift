/// A pattern as in a shell, in which `*` stands for any text and `?` for any one character.
public struct Glob: Sendable {
  private let pattern: String

  public init(_ pattern: String) { self.pattern = pattern }

  /// Whether the whole of `text` fits.
  public func matches(_ text: String) -> Bool { fnmatch(pattern, text, FNM_NOESCAPE) == 0 }

  /// Whether a name fits one of the patterns; where there are none, it does.
  public static func isChosen(_ name: String, by patterns: [String]) -> Bool {
    patterns.isEmpty || patterns.contains { Glob($0).matches(name) }
  }
}
