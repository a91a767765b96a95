public import Testing

extension Trait where Self == ConditionTrait {
  /// Marks a test of `what` that the simulation doesn't have. There it isn't run.
  public static func onTheMachine(_ what: Comment) -> Self { .enabled(if: true, what) }
}
