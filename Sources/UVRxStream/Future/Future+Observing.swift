extension StreamFuture {
  /// A future that has its value already.
  public static func completed(_ value: Output) -> Future<Output, Failure> {
    let future = Future<Output, Failure>()
    future.settle(.value(value))
    return future
  }

  /// A future that has failed already.
  public static func completed(_ error: Failure) -> Future<Output, Failure> {
    let future = Future<Output, Failure>()
    future.settle(.failure(error))
    return future
  }
}

extension Progression {
  /// A progression that has its value already.
  public static func completed(_ value: Output) -> Progression {
    let progression = Progression()
    progression.settle(.value(value))
    return progression
  }

  /// A progression that has failed already.
  public static func completed(_ error: Failure) -> Progression {
    let progression = Progression()
    progression.settle(.failure(error))
    return progression
  }
}

extension Future {
  /// Delivers a result that has already arrived to the chain that ends here, at once instead of in the next
  /// microtask.
  ///
  /// Without a result, this does nothing. The result is delivered once in any case. Complexity: O(length of
  /// the chain).
  @discardableResult
  public final func replay() -> Self {
    // The left side of a join first.
    var nodes: [any Replaying] = [node]
    while let node = nodes.popLast() {
      node.replay?.run()
      if let other = node.otherParent { nodes.append(other) }
      if node.replay == nil || node.otherParent != nil, let parent = node.parent { nodes.append(parent) }
    }
    return self
  }

  /// Sets whether operators that attach after the result has arrived receive it. By default they do.
  @discardableResult
  public final func canReplay(_ isAllowed: Bool) -> Self {
    node.canReplay = isAllowed
    return self
  }

  /// Has the future keep itself until it has its result, though nobody else may hold it; or no longer. A
  /// ``FutureInput`` that is let go isn't cancelled then.
  @discardableResult
  public final func persist(_ isKept: Bool = true) -> Self {
    node.itself = isKept && isActive ? self : nil
    return self
  }

  /// Gives the future a name, for its descriptions.
  @discardableResult
  public final func named(_ name: String) -> Self {
    node.name = name
    return self
  }

  /// The future's name, or its type if it has no name.
  public final var descriptor: String {
    get { node.name ?? "\(type(of: self))" }
    set { node.name = newValue }
  }

  /// Calls `handler` with a line for each thing that happens to the future.
  @discardableResult
  public final func onDebugInfo(_ handler: @escaping (String) -> Void) -> Self {
    node.debugHandlers.append(handler)
    return self
  }

  /// Called with a line for each event of the future, nil by default. It takes the place of
  /// all that ``onDebugInfo(_:)`` has been given.
  public final var debugPrinter: ((String) -> Void)? {
    get { node.debugHandlers.last }
    set { node.debugHandlers = newValue.map { [$0] } ?? [] }
  }
}

extension Future {
  /// How many operators are attached and have not got the result.
  package final var branchCount: Int { node.branches.count }
}

extension Future: CustomDebugStringConvertible {
  /// The future's name, or its type if it has no name.
  public var debugDescription: String { descriptor }
}
