/// Makes a worker worse than it says, by a known amount: how the gate is tested.
struct Injection: Sendable {
  /// So much more work, as a share, which is done and not counted. It is exact, in any
  /// unit: no sleep, no loop that a compiler or a processor may see through.
  var share = 0.0
  /// Called when a window opens, with the number of its operations.
  var onOpen: @Sendable (_ operations: Int) -> Void = { _ in }

  func operations(_ asked: Int) -> Int { asked + Int((Double(asked) * share).rounded()) }
}
