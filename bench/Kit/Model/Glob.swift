/// A pattern in which `*` stands for any text and `?` for any one character.
public struct Glob: Sendable {
  private let pattern: [Character]

  /// A pattern.
  public init(_ pattern: String) { self.pattern = Array(pattern) }

  /// Whether the whole of `text` fits.
  public func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (at, index) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while index < text.count {
      if at < pattern.count, pattern[at] == "*" {
        star = (at, index)
        at += 1
      } else if at < pattern.count, pattern[at] == "?" || pattern[at] == text[index] {
        at += 1
        index += 1
      } else if let last = star {
        // Let the star take one character more and try again from there.
        star = (last.pattern, last.text + 1)
        at = last.pattern + 1
        index = last.text + 1
      } else {
        return false
      }
    }
    return pattern[at...].allSatisfy { $0 == "*" }
  }
}
