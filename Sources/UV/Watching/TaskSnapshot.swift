/// A task of a loop, in a ``LoopSnapshot``.
public struct TaskSnapshot: Hashable, Sendable, Codable {
  /// The state of a task.
  public enum State: String, Hashable, Sendable, Codable {
    /// The task is the one that takes the snapshot.
    case running
    /// The task waits for a request of the loop; ``TaskSnapshot/wait`` says for which.
    case waiting
    /// The task's wait is over. It runs when its turn comes.
    case ready
    /// The task waits for something that the loop doesn't know, such as an actor, an `AsyncStream` or the end
    /// of a handle's close, or it hasn't begun.
    case elsewhere
  }

  /// The name that the task was spawned with; nil if it has none. Tasks that are spawned in one place are
  /// distinguished by their names.
  public var name: String?
  /// Where the task was spawned, such as `Server/main.swift:12`.
  public var place: String
  /// How long ago the task was spawned.
  public var age: Duration
  /// The state of the task.
  public var state: State
  /// Whether the task has been cancelled.
  public var isCancelled: Bool
  /// The task's wait; nil unless the state is `waiting`.
  public var wait: WaitSnapshot?

  /// Creates a task's snapshot.
  package init(
    name: String? = nil, place: String, age: Duration, state: State, isCancelled: Bool = false,
    wait: WaitSnapshot? = nil
  ) {
    self.name = name
    self.place = place
    self.age = age
    self.state = state
    self.isCancelled = isCancelled
    self.wait = wait
  }
}
