extension Result {
  /// The value of a success.
  public var value: Success? { try? get() }

  /// The error of a failure.
  public var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
