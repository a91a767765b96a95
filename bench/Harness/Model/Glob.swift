/// A pattern as in a shell, in which `*` stands for any text and `?` for any one character.
struct Glob: Sendable {
  private let pattern: String

  init(_ pattern: String) { self.pattern = pattern }

  func matches(_ text: String) -> Bool { fnmatch(pattern, text, FNM_NOESCAPE) == 0 }

  /// Whether a name fits one of the patterns; where there are none, it does.
  static func isChosen(_ name: String, by patterns: [String]) -> Bool {
    patterns.isEmpty || patterns.contains { Glob($0).matches(name) }
  }
}
