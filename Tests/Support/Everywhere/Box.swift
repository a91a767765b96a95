// Sound: the test passes it on, and never uses it from two threads at a time.
/// Holds a value that a test passes between threads.
public final class Box<Value>: @unchecked Sendable {
  /// The value.
  public var value: Value?

  /// A box with a value in it, or an empty one.
  public init(_ value: Value?) { self.value = value }
}
