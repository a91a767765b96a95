/// Something that a task or a callback waits for, in a ``LoopSnapshot``: a request, and what it is about.
public struct WaitSnapshot: Hashable, Sendable, Codable {
  /// The operation, by libuv's name: `read`, `accept`, `sleep`, `getaddrinfo`, …
  public var operation: String
  /// The request's subject: the addresses of a connection, a path or a name.
  public var subject: String?
  /// The descriptor of the connection or of another handle that the wait belongs to, by which it is found in
  /// ``LoopSnapshot/handles``. It is nil if there is none.
  public var fileDescriptor: Int32?
  /// How long it has been waited for.
  public var age: Duration
  /// How long the wait can last at most, if that is known: the rest of a sleep.
  public var remaining: Duration?

  /// Creates a wait.
  package init(operation: String, subject: String? = nil, age: Duration, remaining: Duration? = nil) {
    self.operation = operation
    self.subject = subject
    self.age = age
    self.remaining = remaining
  }
}
