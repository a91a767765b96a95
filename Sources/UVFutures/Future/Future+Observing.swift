extension Future {
  /// A future that has its value already.
  ///
  /// RxStream's `Future.completed(_:)`.
  public static func completed(_ value: Output) -> Future<Output, Failure> {
    let future = Future<Output, Failure>()
    future.settle(.value(value))
    return future
  }

  /// A future that has failed already.
  ///
  /// RxStream's `Future.completed(_:)`.
  public static func completed(_ error: Failure) -> Future<Output, Failure> {
    let future = Future<Output, Failure>()
    future.settle(.failure(error))
    return future
  }

  /// Delivers a result that is there already to the chain that ends here, at once and not in the next microtask.
  ///
  /// Does nothing while there is none; the result is delivered once in any case. Complexity: O(length of the chain).
  ///
  /// RxStream's `replay(shared:)`.
  @discardableResult
  public final func replay() -> Self {
    // The left side of a join first.
    var nodes: [any Replaying] = stream.map { [$0] } ?? []
    while let node = nodes.popLast() {
      node.replay?.run()
      if let other = node.otherParent { nodes.append(other) }
      if node.replay == nil || node.otherParent != nil, let parent = node.parent { nodes.append(parent) }
    }
    return self
  }

  /// Sets whether what is attached after the result has come hears it; it does unless this says otherwise.
  ///
  /// RxStream's `canReplay(_:)`.
  @discardableResult
  public final func canReplay(_ isAllowed: Bool) -> Self {
    streamNode.canReplay = isAllowed
    return self
  }

  /// Has the future keep itself until it has its result, though nobody else may hold it; or no longer. A ``FutureInput`` that
  /// is let go isn't cancelled then.
  ///
  /// RxStream's `persist(_:)`.
  @discardableResult
  public final func persist(_ isKept: Bool = true) -> Self {
    streamNode.itself = isKept && isActive ? self : nil
    return self
  }

  /// Gives the future a name, for its descriptions.
  ///
  /// RxStream's `named(_:)`.
  @discardableResult
  public final func named(_ name: String) -> Self {
    streamNode.name = name
    return self
  }

  /// The future's name, or its type if it has none.
  ///
  /// RxStream's `descriptor`.
  public final var descriptor: String { stream?.name ?? "\(type(of: self))" }

  /// Calls `handler` with a line for each thing that happens to the future.
  ///
  /// RxStream's `onDebugInfo(_:)`.
  @discardableResult
  public final func onDebugInfo(_ handler: @escaping (String) -> Void) -> Self {
    streamNode.debugHandlers.append(handler)
    return self
  }
}
