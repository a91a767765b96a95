// Sound: one thread of a world runs at a time.
/// A value that hosts, loops and the world's own thread share.
public final class Shared<Value>: @unchecked Sendable {
  /// The value.
  public var value: Value
  /// Creates one with a first value.
  public init(_ value: Value) { self.value = value }
}
