/// A way of writing a workload: one row of the comparison.
public struct Style: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
  public var rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  /// Plain C: the floor that the others are compared with.
  public static let c = Style(rawValue: "c")
  public static let callback = Style(rawValue: "callback")
  public static let promise = Style(rawValue: "promise")
  public static let future = Style(rawValue: "future")
  public static let async = Style(rawValue: "async")

  /// The usual styles in the order of the table.
  public static let all: [Style] = [.c, .callback, .promise, .future, .async]

  public var description: String { rawValue }
}
