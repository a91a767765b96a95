// Sound: one thread of a world runs at a time.
/// What clients have asked of a register, and been answered: for a check after the run whether the register
/// behaves as one that does one thing after the other.
///
/// ```swift
/// let history = RegisterHistory<Int>(initial: 0)
/// …
/// let call = history.begin(.write(7))
/// try await connection.write(…).value
/// history.end(call)
/// …
/// #expect(history.isLinearizable)
/// ```
public final class RegisterHistory<Value: Hashable & Sendable>: @unchecked Sendable {
  /// What is asked of the register.
  public enum Operation: Sendable, Hashable {
    /// To take a value.
    case write(Value)
    /// To return its value.
    case read
  }

  /// A call that has begun.
  public struct Call: Sendable, Hashable {
    fileprivate let index: Int
  }

  private var log = CallLog<Operation, Value?>()
  private let initial: Value

  /// An empty history.
  ///
  /// - Parameter initial: What the register holds in the beginning.
  public init(initial: Value) { self.initial = initial }

  /// How many calls have begun.
  public var count: Int { log.entries.count }

  /// Notes that a client asks.
  public func begin(_ operation: Operation) -> Call { Call(index: log.begin(operation, nil)) }

  /// Notes the answer. A call whose client doesn't know whether it was done isn't ended.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - value: What a read returned.
  public func end(_ call: Call, value: Value? = nil) { log.end(call.index, value) }

  /// Whether the calls can be put into an order that keeps to real time, and in which each read returns what
  /// was written last. A call that never ended may have been done at any time after its begin, or not at all.
  ///
  /// The search is that of Wing and Gong, with the sets of done calls that Lowe remembers. It takes long for
  /// many calls at once.
  public var isLinearizable: Bool {
    // An unanswered read says nothing.
    let calls = log.entries.filter { $0.end != .max || $0.operation != .read }
    var seen: Set<State> = []
    func search(_ done: Set<Int>, _ value: Value) -> Bool {
      if !calls.indices.contains(where: { !done.contains($0) && calls[$0].end != .max }) { return true }
      if !seen.insert(State(done: done, value: value)).inserted { return false }
      // A call can be next if it began before any other has ended that isn't done.
      let limit = calls.indices.lazy.filter { !done.contains($0) }.map { calls[$0].end }.min() ?? .max
      for index in calls.indices where !done.contains(index) && calls[index].begin < limit {
        let call = calls[index]
        switch call.operation {
        case .write(let new):
          if search(done.union([index]), new) { return true }
        case .read:
          if call.answer == value, search(done.union([index]), value) { return true }
        }
      }
      return false
    }
    return search([], initial)
  }

  private struct State: Hashable {
    let done: Set<Int>
    let value: Value
  }
}
