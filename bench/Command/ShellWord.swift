/// Words of a command as a shell reads them.
enum ShellWord {
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")

  /// A command that a shell takes for these words.
  static func command(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

  /// The word, in quotes where a shell would read it in another way.
  private static func quoted(_ word: String) -> String {
    guard word.isEmpty || !plain.isSuperset(of: word) else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
