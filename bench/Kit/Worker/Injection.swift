/// Makes a worker worse than it says, by a known amount: how the gate is tested.
public struct Injection: Sendable {
  /// So much more work, as a share, which is done and not counted. It is exact, in any
  /// unit: no sleep, no loop that a compiler or a processor may see through.
  public var share: Double
  /// Called when a window opens, with the number of its operations.
  public var onOpen: @Sendable (_ operations: Int) -> Void

  public init(share: Double = 0, onOpen: @escaping @Sendable (_ operations: Int) -> Void = { _ in }) {
    self.share = share
    self.onOpen = onOpen
  }

  public func operations(_ asked: Int) -> Int {
    asked + Int((Double(asked) * share).rounded())
  }
}
