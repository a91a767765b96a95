/// Something was not as it has to be.
public struct Violation: Error, CustomStringConvertible {
  /// What was wrong.
  public let description: String
  /// Creates one that says so.
  public init(_ text: String) { description = text }
}
