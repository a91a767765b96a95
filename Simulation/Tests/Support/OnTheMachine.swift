public import Testing

extension Trait where Self == ConditionTrait {
  /// Marks a test of `what`, which the simulation doesn't have.
  public static func onTheMachine(_ what: Comment) -> Self { .disabled(what) }
}

/// Is there for the tests that need the machine, which aren't run.
public func openPseudoTerminal() throws -> (control: Int32, terminal: Int32) {
  preconditionFailure("the simulation has no terminals")
}

/// Is there for the tests that need the machine, which aren't run.
public func openDescriptors() -> [String: String] {
  preconditionFailure("descriptors have numbers alone")
}
